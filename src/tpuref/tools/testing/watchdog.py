"""A time limit for a part of a test; the test fails, the test run continues."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

import pytest

from tpuref.tools.testing.stacks import host_stacks

SIGNAL = getattr(signal, "SIGUSR2", signal.SIGINT)  # Windows has SIGINT alone
"""The signal that makes the main thread raise the failure."""

_AGAIN_SECONDS = 10.0  # until the signal is sent again, if code swallowed the failure


class Watchdog:
    """A time limit for a ``with`` block.

    At the limit the stacks of the host and the cores are recorded, and the block fails
    at its current line.  A block outside the main thread fails when it ends.

    `core_stacks` returns the stacks of the cores.
    """

    def __init__(
        self, name: str, seconds: float, core_stacks: Callable[[], str]
    ) -> None:
        self._message = f"{name} took longer than {seconds:g} s"
        self._seconds = seconds
        self._core_stacks = core_stacks
        # The stacks at the time limit
        self.report: str | None = None
        self._done = threading.Event()
        self._late = False
        self._main = threading.main_thread().ident or 0
        self._in_main = threading.get_ident() == self._main
        self._thread = threading.Thread(
            target=self._watch, name="tpuref watchdog", daemon=True
        )

    def __enter__(self) -> Watchdog:
        if self._in_main:
            self._before = signal.signal(SIGNAL, self._raise)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()
        if self._in_main:
            signal.signal(SIGNAL, self._before)
        if self._late and (kind is None or issubclass(kind, Exception)):
            pytest.fail(self._message)

    def call_off(self) -> None:
        """Stop watching."""
        self._done.set()

    def _watch(self) -> None:
        if self._done.wait(self._seconds):
            return
        self._late = True
        self.report = f"the host\n{host_stacks()}\nthe cores\n{self._of_cores()}\n"
        while self._in_main and not self._done.is_set():
            _signal_main_thread(self._main)
            self._done.wait(_AGAIN_SECONDS)

    def _of_cores(self) -> str:
        try:
            return self._core_stacks()
        except Exception as error:  # the cores may end meanwhile
            return f"  {error!r}"

    def _raise(self, number: int, frame: FrameType | None) -> None:
        # Without a report the signal is not from this watchdog.
        if self.report is None and callable(self._before):
            self._before(number, frame)
        elif not self._done.is_set():
            pytest.fail(self._message)


def _signal_main_thread(thread: int) -> None:
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, SIGNAL)
    else:
        _thread.interrupt_main(SIGNAL)
