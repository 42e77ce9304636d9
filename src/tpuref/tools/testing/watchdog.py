"""A time limit for a part of a test; the test fails, the test run continues."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType, TracebackType

import pytest

_RUNNERS = ("_pytest", "pluggy")

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
            if hasattr(signal, "pthread_kill"):
                signal.pthread_kill(self._main, SIGNAL)
            else:
                _thread.interrupt_main(SIGNAL)
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


def host_stacks() -> str:
    """Return the stacks of all threads except the calling one."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        "\n    ".join([f"  thread {names.get(ident, ident)}", *_lines(frame)])
        for ident, frame in sys._current_frames().items()
        if ident != threading.get_ident()
    )


def _lines(frame: FrameType) -> list[str]:
    """Return the calls of a thread, without pytest's calls before the test."""
    calls = traceback.extract_stack(frame)
    start = max((k + 1 for k, call in enumerate(calls[:-1]) if _runs(call)), default=0)
    entries = traceback.format_list(calls[start:])
    return [line for entry in entries for line in entry.rstrip().splitlines()]


def _runs(call: traceback.FrameSummary) -> bool:
    return os.path.basename(os.path.dirname(call.filename)) in _RUNNERS
