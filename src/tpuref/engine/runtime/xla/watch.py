"""Watching runs of XLA, which cannot be queried or stopped.

A compiled program keeps its thread in native code.  Python then runs no signal handler,
and XLA neither reports progress nor cancels a run.  A watching thread warns at the
deadline, and ends the process at the second Ctrl-C, which it reads from the file of
`signal.set_wakeup_fd`.
"""

import contextlib
import functools
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator

from tpuref.base import error_codes as codes
from tpuref.engine.runtime.log import advice

_LOOK_SECONDS = 0.5
_INTERRUPTED = 128 + signal.SIGINT  # the exit status, as shells have it
_LOG = advice("stall")


class _Watched:
    """A run in progress."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name, self.seconds = name, seconds
        self.begin = time.monotonic()
        self.warned = False
        self.interrupts = 0


class Watch:
    """Watches the runs of this process, in a thread that sleeps between runs."""

    def __init__(self) -> None:
        # Windows has no wakeup files, and no `select`, but for sockets.
        self._inlet, self._outlet = socket.socketpair()
        self._inlet.setblocking(False)
        self._outlet.setblocking(False)
        self._runs: dict[int, _Watched] = {}
        self._main: _Watched | None = None
        self._others_file = -1
        self._sleeps = False
        threading.Thread(target=self._look, name="tpuref xla", daemon=True).start()

    @contextlib.contextmanager
    def over(self, name: str, seconds: float) -> Iterator[None]:
        """Watch a run of a program in a ``with`` block."""
        run = _Watched(name, seconds)
        is_main = threading.current_thread() is threading.main_thread()
        try:
            self._runs[id(run)] = run
            if is_main:
                own = self._outlet.fileno()
                file = signal.set_wakeup_fd(own, warn_on_full_buffer=False)
                if file != own:  # not left by an interrupt in this block
                    self._others_file = file
                self._main = run
            if self._sleeps:
                with contextlib.suppress(OSError):  # full, so its reader wakes anyway
                    self._outlet.send(b"\0")
            yield
        finally:
            self._runs.pop(id(run), None)
            if is_main:
                self._main = None
                signal.set_wakeup_fd(self._others_file, warn_on_full_buffer=False)

    def _look(self) -> None:
        while True:
            self._sleeps = not self._runs
            wait = None if self._sleeps and not self._runs else _LOOK_SECONDS
            if select.select([self._inlet], [], [], wait)[0]:
                self._hear(self._inlet.recv(4096).replace(b"\0", b""))
            for run in list(self._runs.values()):
                if time.monotonic() - run.begin >= run.seconds and not run.warned:
                    run.warned = True
                    _LOG.warning(
                        "%r has been compiled or run by XLA for %g s "
                        "(TPUREF_TIMEOUT). It goes on, as XLA neither shows progress "
                        "nor stops a run; Ctrl-C twice, or SIGTERM, ends the process "
                        "[%s]",
                        run.name,
                        run.seconds,
                        codes.STALL_REPORT,
                    )

    def _hear(self, signals: bytes) -> None:
        """Count interrupts; forward signals to the previous wakeup file."""
        run = self._main
        if self._others_file >= 0 and signals:
            with contextlib.suppress(OSError):
                os.write(self._others_file, signals)
        for number in signals:
            if number == signal.SIGINT and run is not None:
                run.interrupts += 1
                if run.interrupts > 1:
                    _end()
                _LOG.warning(
                    "Ctrl-C waits for the end of %r, which XLA cannot stop; once more "
                    "ends the process [%s]",
                    run.name,
                    codes.STALL_REPORT,
                )


def _end() -> None:
    """End the process without waiting for any thread."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(_INTERRUPTED)


@functools.cache
def the_watch() -> Watch:
    """Return the watch of this process, created with its first run."""
    return Watch()
