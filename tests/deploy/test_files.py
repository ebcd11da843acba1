"""The container files: their shape, their promises, and that they name only what exists."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


@pytest.fixture(scope="module")
def steps():
    spec = importlib.util.spec_from_file_location("rehearse", DEPLOY / "rehearse.py")
    rehearse = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rehearse)
    return rehearse.instructions((DEPLOY / "Dockerfile").read_text())


@pytest.fixture(scope="module")
def compose():
    return YAML(typ="safe").load(DEPLOY / "compose.yaml")


def named(steps, name):
    return [arguments for step, arguments in steps if step == name]


def last_stage(steps):
    starts = [place for place, step in enumerate(steps) if step.name == "FROM"]
    return steps[starts[-1] :]


def test_the_image_has_two_stages_from_images_of_a_stated_version(steps):
    bases = named(steps, "FROM")
    assert 2 == len(bases)
    assert all(re.match(r"[a-z/]+:\d", base) for base in bases), bases


def test_the_last_stage_gets_the_wheel_and_the_pins_and_nothing_else(steps):
    stage = last_stage(steps)
    assert [] == named(stage, "COPY") + named(stage, "ADD")
    binds = [mount for run in named(stage, "RUN") for mount in re.findall(r"--mount=(type=bind\S+)", run)]
    assert {"from=build,source=/dist", "source=constraints.txt"} == {
        bind.removeprefix("type=bind,").rpartition(",target=")[0] for bind in binds
    }


def test_the_server_runs_as_nobody_special(steps):
    users = named(last_stage(steps), "USER")
    assert users
    assert int(users[-1].partition(":")[0]) > 0


def test_the_server_is_started_without_a_shell_and_can_be_checked_and_stopped(steps):
    stage = last_stage(steps)
    assert ['["dugout", "serve"]'] == named(stage, "ENTRYPOINT")
    assert named(stage, "CMD")[0].startswith("[")
    # An argument would win over the variable, which is all that the health check knows.
    assert "--port" not in named(stage, "CMD")[0]
    assert {"DUGOUT_HOST=0.0.0.0", "DUGOUT_PORT=50051", "DUGOUT_METRICS_PORT=9090"} <= set(
        " ".join(named(stage, "ENV")).split()
    )
    assert "SIGTERM" == named(stage, "STOPSIGNAL")[0]
    assert '"service.cli.health"' in named(stage, "HEALTHCHECK")[0]


def test_no_secret_and_no_index_is_built_in(steps):
    built_in = " ".join(named(steps, "ENV") + named(steps, "ARG"))
    assert not re.search(r"KEY|PASSWORD|SECRET|TOKEN|PIP_", built_in)
    assert not re.search(r"index-url|find-links|trusted-host|https?:", " ".join(arguments for _, arguments in steps))


def test_what_is_copied_exists_and_reaches_the_build(steps):
    sources = [source for copy in named(steps, "COPY") for source in copy.split()[:-1]]
    let_through = {
        line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    assert sources
    assert [] == [source for source in sources if not (ROOT / source).exists()]
    assert set(sources) == let_through


def test_compose_follows_the_compose_specification():
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    ran = subprocess.run([*check, str(DEPLOY / "compose.yaml")], capture_output=True, text=True, check=False)
    assert 0 == ran.returncode, ran.stdout


def test_two_workers_share_one_store_and_listen_on_loopback_ports_of_their_own(compose):
    workers = {name: service for name, service in compose["services"].items() if name.startswith("worker")}
    assert 2 == len(workers)
    assert 1 == len({worker["environment"]["REDIS_URL"] for worker in workers.values()})
    ports = [port for worker in workers.values() for port in worker["ports"]]
    assert len(ports) == len(set(ports))
    assert all(port.startswith("127.0.0.1:") and port.endswith(":50051") for port in ports)
    assert "ports" not in compose["services"]["store"]


def test_the_store_keeps_its_data_and_is_waited_for(compose):
    store = compose["services"]["store"]
    assert "healthcheck" in store
    assert "--appendonly yes" in store["command"][-1]
    assert [volume.partition(":")[0] for volume in store["volumes"]] == list(compose["volumes"])
    for name in ("worker-1", "worker-2"):
        assert {"condition": "service_healthy"} == compose["services"][name]["depends_on"]["store"]


def test_every_image_states_its_version(compose):
    images = [service["image"] for service in compose["services"].values()]
    assert all(re.search(r":\d+\.\d+", image) for image in images), images


def test_secrets_come_from_the_environment_and_the_example_has_none():
    text = (DEPLOY / "compose.yaml").read_text()
    assert not re.search(r"(KEYS?|PASSWORD|SECRET)\w*: +[^$\s]", text)
    example = (DEPLOY / "dugout.env.example").read_text()
    settings = [line for line in example.splitlines() if line and not line.startswith("#")]
    assert {"STORE_PASSWORD=", "DUGOUT_OPERATOR_KEYS=", "DUGOUT_TOKEN_KEYS="} == set(settings)
    assert "deploy/dugout.env" in (ROOT / ".gitignore").read_text().splitlines()


def test_a_missing_secret_stops_compose_with_a_message():
    text = (DEPLOY / "compose.yaml").read_text()
    assert set(re.findall(r"(?<!\$)\$\{STORE_PASSWORD[^}]*\}", text)) == {
        "${STORE_PASSWORD:?set it in deploy/dugout.env}"
    }
