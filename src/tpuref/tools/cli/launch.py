"""The command ``tpuref launch``: a script on several hosts on this machine."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import IO

from tpuref.tools.cli.failure import fail
from tpuref.tools.cli.run import AS_TENSORFLOW, add_program

NAME = "launch"
HELP = "run a script on several hosts on this machine"
DESCRIPTION = (
    "Run SCRIPT in a process for each host, with the XLA executor. "
    "Each line of their output starts with the number of the host."
)

_FORWARDED = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # not every system has all
]
_PATIENCE = 20.0
"""The seconds that other hosts have to end by themselves after one has failed."""

EPILOG = """examples:
  tpuref launch --hosts 4 train.py
  tpuref launch --hosts 4 --cores-per-host 2 train.py --steps 100

All hosts end when one fails. The exit status is that of the first host that fails (128
plus the signal's number if a signal ended it), or 0."""


def add(launch: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    launch.add_argument(
        "--hosts",
        type=_positive,
        required=True,
        metavar="N",
        help="the number of hosts",
    )
    launch.add_argument(
        "--cores-per-host",
        type=_positive,
        metavar="N",
        help="the number of cores of each host; by default as many as the script needs",
    )
    add_program(launch)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def run(options: argparse.Namespace) -> int:
    """Run the script on all hosts, and return the exit status."""
    if sys.platform == "win32":
        return fail(NAME, "needs Linux or macOS")
    if not os.path.exists(options.script):
        return fail(NAME, f"there is no file {options.script!r}")
    with _Hosts(options) as hosts:
        return hosts.wait()


class _Hosts:
    """The processes of the hosts."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._resources = contextlib.ExitStack()
        self._ended = threading.Condition()
        self._statuses: dict[int, int] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._readers: list[threading.Thread] = []
        self._lock = threading.Lock()
        port = _free_port()
        # Unbuffered, so that lines of hosts appear as soon as they are written. The
        # random job name keeps hosts of another launch on the same port apart.
        environment = {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "TPUREF_JOB": secrets.token_hex(8),
        }
        for host in range(options.hosts):
            command = [sys.executable, "-m", "tpuref", *_arguments(options, host, port)]
            self._start(host, command, environment)

    def _start(
        self, host: int, command: Sequence[str], environment: dict[str, str]
    ) -> None:
        from tpuref.engine.runtime.pool.lifeline import beyond_the_streams, bind

        # The lifeline: the host holds one end of a pipe, this process the other. When
        # this process ends, even by SIGKILL, the kernel closes its end, and the host
        # ends too.
        theirs, ours = os.pipe()
        self._resources.callback(os.close, ours)
        lifeline = beyond_the_streams(theirs)
        os.close(theirs)
        process = subprocess.Popen(
            command,
            pass_fds=[lifeline],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            # Ctrl-C reaches the whole process group of the terminal.  A new session is
            # outside of that group: a host gets each signal once, from `_signals`.
            start_new_session=True,
        )
        bind(lifeline, process.pid)
        os.close(lifeline)
        self._processes.append(process)
        for stream, shown in (
            (process.stdout, sys.stdout),
            (process.stderr, sys.stderr),
        ):
            assert stream is not None
            self._begin(self._show, host, stream, shown)
        self._begin(self._record_end, host)

    def _begin(self, action: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=action, args=arguments, daemon=True)
        thread.start()
        self._readers.append(thread)

    def _show(self, host: int, stream: IO[bytes], shown: IO[str]) -> None:
        for line in stream:
            text = line.decode(errors="replace").rstrip("\n")
            with self._lock:
                print(f"[{host}] {text}", file=shown, flush=True)

    def _record_end(self, host: int) -> None:
        status = self._processes[host].wait()
        with self._ended:
            self._statuses[host] = status
            self._ended.notify_all()

    def wait(self) -> int:
        """Wait for all hosts, or for the first failure, and return the exit status."""
        # After a failure the others may end by themselves: the coordinator tells them,
        # and their own messages are better than a kill. `__exit__` kills the rest.
        with self._signals(), self._ended:
            self._ended.wait_for(self._is_over)
            if any(self._statuses.values()):
                self._ended.wait_for(self._all_ended, _PATIENCE)
            return _exit_status(list(self._statuses.values()))

    def _is_over(self) -> bool:
        return any(self._statuses.values()) or self._all_ended()

    def _all_ended(self) -> bool:
        return len(self._statuses) == len(self._processes)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Forward signals to the hosts within a ``with`` block."""

        def pass_on(number: int, frame: FrameType | None) -> None:
            for process in self._processes:
                process.send_signal(number)

        before = {number: signal.signal(number, pass_on) for number in _FORWARDED}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def __enter__(self) -> _Hosts:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            process.kill()
        for reader in self._readers:
            reader.join(1.0)  # a child of the script may hold the pipe
        self._resources.close()


def _exit_status(statuses: Sequence[int]) -> int:
    """Return the launcher's exit status, from those of the hosts in order of ending."""
    # The first failure counts. But if a host was killed, the others fail because of it
    # and may be recorded earlier; the launcher itself kills hosts only after this.
    failed = [status for status in statuses if status]
    if not failed:
        return 0
    first = -signal.SIGKILL if -signal.SIGKILL in failed else failed[0]
    return first if first > 0 else 128 - first


def _arguments(options: argparse.Namespace, host: int, port: int) -> list[str]:
    """Return the arguments of ``tpuref`` for a host."""
    cores = options.cores_per_host
    size = [] if cores is None else ["--cores", str(cores * options.hosts)]
    release = f"={options.release}" if options.release else ""
    asked = options.as_tensorflow or options.release
    named = [f"{AS_TENSORFLOW}{release}"] if asked else []
    return [
        *("run", "--executor", "xla", "--coordinator", f"127.0.0.1:{port}"),
        *("--num-hosts", str(options.hosts), "--host", str(host)),
        *size,
        *named,
        options.script,
        *options.arguments,
    ]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
