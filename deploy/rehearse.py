"""Run the steps of the Dockerfile without a container engine, and use what they install.

Each stage gets a new virtual environment and a folder of its own in place of the root of its file system; steps that
only make sense inside an image (packages of the distribution, users) are named and left out. Then the installed
command is used as the image would use it: help, a hand, the demo, the entry point with its health check, and its end by
SIGTERM.

Needs what the image needs: a C compiler, and an index for pip to install from, which comes from pip's own settings.
"""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ONLY_IN_AN_IMAGE = ("apt-get", "useradd")
START_S = 30.0


class Instruction(NamedTuple):
    """One instruction of a Dockerfile with its arguments, continuation lines joined."""

    name: str
    arguments: str


def instructions(text: str) -> list[Instruction]:
    """Read a Dockerfile."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Instruction(*line.split(maxsplit=1)) for line in joined.splitlines()]


class Stage:
    """One stage of the build: a folder in place of ``/``, and an environment in place of the image's Python."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.root.mkdir(parents=True)
        self.workdir = self.root
        venv.create(folder / "venv", with_pip=True)
        self.bin = folder / "venv" / "bin"

    def path(self, inside: str) -> Path:
        """Return where a path of the image lies here."""
        return self.root / inside.lstrip("/") if inside.startswith("/") else self.workdir / inside

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment that knows nothing of the tree or of the Python that runs this."""
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        system = os.environ.get("PATH", os.defpath)
        return {"PATH": f"{self.bin}{os.pathsep}{system}", "HOME": str(self.root), "LANG": "C.UTF-8", **pip, **more}

    def run(self, command: list[str], **more: str) -> str:
        """Run a command in the working folder and return what it printed."""
        done = subprocess.run(
            command, cwd=self.workdir, env=self.environment(**more), capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout


def build(steps: list[Instruction], folder: Path) -> tuple[Stage, dict[str, list[str]]]:
    """Run the stages; return the last one and what the image would run: ENTRYPOINT, CMD and HEALTHCHECK."""
    stages: dict[str, Stage] = {}
    runs: dict[str, list[str]] = {}
    for name, arguments in steps:
        if name == "FROM":
            _, _, alias = arguments.partition(" AS ")
            stage = stages[alias or "final"] = Stage(folder / str(len(stages)))
            runs = {}
        match name:
            case "WORKDIR":
                stage.workdir = stage.path(arguments)
                stage.workdir.mkdir(parents=True, exist_ok=True)
            case "COPY":
                *sources, target = arguments.split()
                for source in sources:
                    copy(ROOT / source, stage.path(target))
            case "RUN":
                run_step(arguments, stage, stages)
            case "ENTRYPOINT" | "CMD":
                runs[name] = json.loads(arguments)
            case "HEALTHCHECK":
                runs[name] = json.loads(arguments[arguments.index("[") :])
    return stage, runs


def copy(source: Path, target: Path) -> None:
    """Copy a file, or a folder without what the ignore file keeps out of the build."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.c"))
    else:
        shutil.copy(source, target)


def run_step(arguments: str, stage: Stage, stages: dict[str, Stage]) -> None:
    """Run one RUN instruction, each absolute path in it moved to where it lies here."""
    mounts = [
        dict(part.partition("=")[::2] for part in mount.split(",")) for mount in re.findall(r"--mount=(\S+)", arguments)
    ]
    command = re.sub(r"--mount=\S+\s*", "", arguments)
    if command.startswith(ONLY_IN_AN_IMAGE):
        print(f"left out: {command}")
        return
    places = {
        mount["target"]: stages[mount["from"]].path(mount["source"]) if "from" in mount else ROOT / mount["source"]
        for mount in mounts
        if mount["type"] == "bind"
    }

    def moved(match: re.Match[str]) -> str:
        target = next((target for target in places if match[0].startswith(target)), None)
        return str(places[target]) + match[0][len(target) :] if target else str(stage.path(match[0]))

    print(f"running:  {command}", flush=True)
    stage.run(["sh", "-euc", re.sub(r"(?<=[\s=])/[\w./-]*", moved, command)])


def use(stage: Stage, runs: dict[str, list[str]]) -> None:
    """Use the installed command outside the tree, then serve and stop as a container would."""
    where = stage.run(["python", "-c", "import engine, service, loadtest, proto; print(service.__file__)"]).strip()
    if not where.startswith(str(stage.bin.parent)):
        sys.exit(f"the installed package is not what is imported: {where}")
    print(stage.run(["dugout", "--help"]))
    print(stage.run(["dugout", "eval", "Ks Kh Kd 9c 7s"]))
    print(stage.run(["dugout", "simulate", "--hands", "20"]))
    print(stage.run(["dugout", "demo"]))
    serve(stage, runs)


def serve(stage: Stage, runs: dict[str, list[str]]) -> None:
    """Start what the image starts, on loopback and a free port, until its health check passes; then stop it."""
    settings = {
        # An address and ports that nobody else has here, in place of the image's.
        "DUGOUT_HOST": "127.0.0.1",
        "DUGOUT_PORT": "0",
        "DUGOUT_METRICS_PORT": "0",
        "DUGOUT_OPERATOR_KEYS": f"house:{secrets.token_urlsafe(24)}",
        "DUGOUT_TOKEN_KEYS": f"1:{secrets.token_urlsafe(24)}",
    }
    command = [*runs["ENTRYPOINT"], *runs["CMD"], "--json"]
    print(f"running:  {' '.join(command)}", flush=True)
    with subprocess.Popen(
        command, cwd=stage.workdir, env=stage.environment(**settings), stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            if not said:
                sys.exit("the server did not start")
            wait_until_healthy(stage, runs["HEALTHCHECK"], json.loads(said)["address"])
            server.send_signal(signal.SIGTERM)
            if server.wait(timeout=START_S):
                sys.exit(f"the server ended with {server.returncode} when it was told to stop")
        finally:
            server.kill()


def wait_until_healthy(stage: Stage, check: list[str], address: str) -> None:
    """Repeat the image's health check until it passes."""
    until = time.monotonic() + START_S
    environment = stage.environment(DUGOUT_PORT=address.rpartition(":")[2])
    while subprocess.run(check, cwd=stage.workdir, env=environment, check=False).returncode:
        if time.monotonic() > until:
            sys.exit(f"not healthy after {START_S:.0f} s")
        time.sleep(0.2)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="dugout-image-") as temporary:
        use(*build(instructions((ROOT / "deploy" / "Dockerfile").read_text()), Path(temporary)))
    print("The steps of the image work.")
