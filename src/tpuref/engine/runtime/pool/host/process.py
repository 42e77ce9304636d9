"""The host's handle of a process of the pool: start, watch, end.

::

    socket     both ways: messages; its end is the end of the process
    lifeline   a pipe by which the kernel kills the process when the host ends
    log        a memory file: the standard output and error of the process
"""

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

import tpuref
from tpuref import kernels
from tpuref.base import error_codes as codes
from tpuref.base.errors import UnavailableError
from tpuref.base.processors import usable_processors
from tpuref.engine.runtime.pool.arena import Arena, anonymous_file
from tpuref.engine.runtime.pool.control_area import mailboxes
from tpuref.engine.runtime.pool.host.output import CoreOutput
from tpuref.engine.runtime.pool.lifeline import beyond_the_streams, bind
from tpuref.engine.runtime.pool.messages import STACK_SIGNAL, Channel
from tpuref.engine.runtime.pool.split import Split, named

# Isolated (-I): neither the working directory nor the user's settings can replace a
# module that a core needs.  The packages come after the standard library.
_COMMAND = """\
import os, sys
if sys.version_info < (3, 11):
    os.setpgid(0, 0)
at = [n for n, path in enumerate(sys.path) if path.endswith("-packages")]
at = at[0] if at else len(sys.path)
sys.path[at:at] = sys.argv[1].split("\\n")
from tpuref.engine.runtime.pool.process.worker import main
main(sys.argv[2:])
"""


# A group of its own keeps Ctrl-C from the process; the host answers it.  The session
# stays: Linux schedules by session, and sched_yield lets only its own processes run.
_OWN_GROUP: dict[str, Any] = {"process_group": 0} if sys.version_info >= (3, 11) else {}


class CoreProcess:
    """A process with some cores.

    `channel` is the host's end of the connection, `output` its standard output and
    error.  It raises UnavailableError if the process cannot be started.
    """

    def __init__(self, number: int, split: Split, arena: Arena) -> None:
        self._held = contextlib.ExitStack()
        try:
            self._start(number, split, arena)
        except OSError as error:
            self._drop()
            raise UnavailableError(
                f"{named(split.carried(number))} could not be started with "
                f"{sys.executable!r}: {error}",
                code=codes.CORE_NOT_STARTED,
            ) from error
        except BaseException:
            self._drop()
            raise

    def _start(self, number: int, split: Split, arena: Arena) -> None:
        log = anonymous_file()
        self._held.callback(os.close, log)
        fcntl.fcntl(log, fcntl.F_SETFL, os.O_APPEND)
        self.output = CoreOutput(named(split.carried(number)), log)
        self._held.callback(self.output.close)
        with contextlib.ExitStack() as theirs:
            lifeline, end = os.pipe()
            theirs.callback(os.close, lifeline)
            self._held.callback(os.close, end)
            mine, other = socket.socketpair()
            theirs.callback(other.close)
            self._held.callback(mine.close)
            outgoing, incoming = mailboxes(arena.bytes, *split, number)
            self.channel = Channel(mine, outgoing, incoming, split.processes)
            passed = []
            for descriptor in (arena.descriptor, other.fileno(), lifeline):
                passed.append(beyond_the_streams(descriptor))
                theirs.callback(os.close, passed[-1])
            counts = split.processes, number, split.cores
            arguments = (*counts, os.getpid(), arena.heap_bytes, *passed)
            self._process = subprocess.Popen(
                [*_command(), *map(str, arguments)],
                pass_fds=passed,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=_environment(split.processes),
                **_OWN_GROUP,
            )
            bind(lifeline, self._process.pid)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def is_stopped(self) -> bool:
        """Return whether a signal such as SIGSTOP holds the process."""
        return _status_field(self.pid, 0) in ("T", "t")

    def is_well(self) -> bool:
        """Return whether the process runs, neither stopped nor ending."""
        # While other threads outlive the main one, the process cannot be waited for.
        ended = self.wait(0.0) or _status_field(self.pid, 0) in ("Z", "X")
        return not ended and not self.is_stopped()

    def processor_ticks(self) -> int:
        """Return the processor time that it has used, 0 if unknown."""
        used = (_status_field(self.pid, field) for field in (11, 12))
        return sum(int(ticks or 0) for ticks in used)

    def ask_for_stack(self) -> int:
        """Make the process write its stack, and return the offset of it in the log."""
        self.output.show()
        start = self.output.size
        with contextlib.suppress(ProcessLookupError):
            if STACK_SIGNAL is not None:
                self._process.send_signal(STACK_SIGNAL)
        return start

    def log(self, start: int = 0) -> str:
        """Return the end of the log."""
        return self.output.tail(start)

    def fate(self, seconds: float) -> str:
        """Describe the end of the process; wait for it up to `seconds`."""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "it closed its socket, though its process still runs"
        if status >= 0:
            return f"its process ended with status {status}"
        hint = " (the system may be out of memory)" if status == -signal.SIGKILL else ""
        return f"its process was ended by {_signal_name(-status)}{hint}"

    def wait(self, seconds: float) -> bool:
        """Return whether the process ends within some seconds."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """Kill the process; call `end` afterwards."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process if it still runs, and release everything."""
        self._process.kill()
        self._process.wait()
        self.output.show(last=True)
        self._drop()

    def abandon(self) -> None:
        """Release the handle in a fork of the host, without touching the process."""
        self._process.returncode = 0  # not ours to wait for
        self._drop()

    def _drop(self) -> None:
        self._held.close()


_HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Huge pages for arrays: steps take 0.96 to 0.98 of the time, a process 2 MB more."""


def _command() -> Sequence[str]:
    places = [
        os.path.dirname(os.path.dirname(os.path.abspath(module.__file__ or "")))
        for module in (tpuref, np, ml_dtypes)
    ]
    quiet = ["-B"] if sys.dont_write_bytecode else []
    paths = "\n".join(dict.fromkeys(places))
    return [sys.executable, "-I", *quiet, "-c", _COMMAND, paths]


def _environment(processes: int) -> dict[str, str]:
    """Return the environment of a process: the host's kernels, few BLAS threads."""
    threads = str(max(1, usable_processors() // processes))
    alone = processes <= usable_processors()
    return {
        **(_HUGE_PAGES if alone else {}),
        **os.environ,
        "TPUREF_KERNELS": kernels.IMPLEMENTATION,
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
    }


def _status_field(pid: int, field: int) -> str | None:
    """Return a field of ``/proc/PID/stat``, counted from the state."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[field]
    except OSError:
        return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
