"""The processes of one peer, and the communication with them."""

import contextlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from tpuref.base.extras import install_line
from tpuref.tools.benchmarks.contest import Withdrawn
from tpuref.tools.benchmarks.peers.rank import PORT

REQUIRED = {"mpich": "mpi4py", "gloo": "torch", "jax": "jax"}
"""The module that each peer needs."""

PATIENCE = 120.0
"""The time limit of an answer, in seconds."""


def absent(names: Iterable[str], wanted: bool) -> dict[str, str]:
    """Return the peers that cannot be measured here, with the reasons.

    All of them if peers are not `wanted`.
    """
    if not wanted:
        return dict.fromkeys(names, "left out")
    reasons = {name: _reason(name) for name in names}
    return {name: reason for name, reason in reasons.items() if reason}


def _reason(name: str) -> str | None:
    if importlib.util.find_spec(REQUIRED[name]) is None:
        return f"not installed; {install_line('tpuref[bench]')}"
    if name == "mpich" and _mpiexec() is None:
        return "mpiexec is not installed; python3 -m pip install mpich"
    return None


def _mpiexec() -> str | None:
    scripts = os.path.dirname(sys.executable)
    return shutil.which("mpiexec", path=scripts) or shutil.which("mpiexec")


class Peer:
    """A library, a name in `REQUIRED`, in processes; `Withdrawn` if none start."""

    def __init__(self, name: str, cores: int) -> None:
        self._name, self._cores = name, cores
        self._lost: Withdrawn | None = None
        self._stack = contextlib.ExitStack()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        self._log = Path(folder, "log")
        listening = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        listening.settimeout(0.1)
        environment = {
            PORT: str(listening.getsockname()[1]),
            "WORLD_SIZE": str(cores),
            "MEETING": str(Path(folder, "meeting")),
            "GLOO_SOCKET_IFNAME": "lo",
        }
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start(environment)
        self._lines = [self._connection(listening) for _ in range(self._connections)]

    @property
    def _connections(self) -> int:
        return 1 if self._name == "jax" else self._cores

    def _start(self, environment: dict[str, str]) -> None:
        own = [sys.executable, "-m", f"tpuref.tools.benchmarks.peers.{self._name}"]
        if self._name == "mpich":
            own = [str(_mpiexec()), "-n", str(self._cores), *own]
        with self._log.open("ab") as log:
            for rank in range(self._cores if self._name == "gloo" else 1):
                process = subprocess.Popen(
                    own,
                    env={**os.environ, **environment, "RANK": str(rank)},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
                self._processes.append(process)

    def _connection(self, listening: socket.socket) -> IO[str]:
        end = self._accept(listening)
        end.settimeout(PATIENCE)
        self._stack.callback(end.close)
        return self._stack.enter_context(end.makefile("rw"))

    def _accept(self, listening: socket.socket) -> socket.socket:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                return listening.accept()[0]
            if any(process.poll() is not None for process in self._processes):
                break
        raise self._failure("did not start")

    def measure(self, task: str, elements: int, count: int) -> float:
        """Return the seconds per operation, of `count` in a row.

        Tasks are ``"sum"`` of float32 vectors of length `elements`; JAX also has
        ``"chain"``, sums within one program, and each kind of step with ``", pmap"`` or
        ``", jit"``.  `Withdrawn` if the peer does not answer.
        """
        if self._lost is not None:
            raise self._lost
        request = json.dumps({"task": task, "elements": elements, "count": count})
        try:
            for lines in self._lines:
                lines.write(request + "\n")
                lines.flush()
            answers = [json.loads(lines.readline()) for lines in self._lines]
        except (OSError, ValueError):
            raise self._failure("gave up") from None
        return float(next(seconds for seconds in answers if seconds is not None))

    def asked(self, task: str, elements: int, count: int) -> Callable[[], float]:
        """Return a function that calls `measure` with these arguments."""
        return lambda: self.measure(task, elements, count)

    def _failure(self, event: str) -> Withdrawn:
        text = self._log.read_text(errors="replace")[-2000:]
        self.close()
        self._lost = Withdrawn(f"{self._name} with {self._cores} cores {event}\n{text}")
        return self._lost

    def close(self) -> None:
        """End its processes."""
        self._stack.close()  # closing the connection ends them
        for process in self._processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def running_peers(
    names: Iterable[str], cores: int, report: Callable[[str], None]
) -> Iterator[dict[str, Peer]]:
    """Start peers, yield those that could start, and end them."""
    with contextlib.ExitStack() as stack:
        peers = {}
        for name in names:
            try:
                peers[name] = Peer(name, cores)
            except Withdrawn as reason:
                report(str(reason))
            else:
                stack.callback(peers[name].close)
        yield peers
