"""Who uses the cores: one run at a time, first come, first served.

A queue of holds takes the place of a lock: the first one has the cores.  Each hold
belongs to the frame of the function that asked for it, and lasts no longer than that
frame.  So there is no instant in which an interrupt loses the owner: a hold that an
exception left behind counts no more, and whoever looks next removes it.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from types import FrameType, TracebackType

from tpuref.base import error_codes as codes
from tpuref.base.errors import DeadlineExceededError
from tpuref.runtime.log import advice

WARNING_SECONDS = 10.0
"""A wait is reported after this time, or after a tenth of the deadline."""

_LOOK_SECONDS = 0.2  # how often a run that waits looks whether there are cores at all
_LOG = advice("stall")


class _Hold:
    """One place in the queue.

    Parameters
    ----------
    frame
        The function that has it, None for a hold that lasts forever.
    program
        The name of its program.
    """

    __slots__ = ("frame", "program", "since", "thread", "wake")

    def __init__(self, frame: FrameType | None, program: str) -> None:
        self.frame = frame
        self.program = program
        self.thread = threading.get_ident()
        self.since = 0.0
        self.wake: queue.SimpleQueue[None] | None = None

    def is_over(self) -> bool:
        """Whether its function has ended without giving it back."""
        frame = self.frame
        if frame is None:
            return False
        try:
            frame.clear()  # refused exactly while the function runs
        except RuntimeError:
            return False
        return True


class Occupation:
    """A fair lock that knows who holds it, and says so to those who wait in vain."""

    def __init__(self) -> None:
        self._holds: deque[_Hold] = deque()

    @property
    def is_own(self) -> bool:
        """Whether the calling thread holds it."""
        if not self._holds:
            return False
        first = self._first()
        return first is not None and first.thread == threading.get_ident()

    def locked(self) -> bool:
        """Return whether anybody holds it."""
        return self._first() is not None

    def close(self) -> None:
        """Let nobody have it any more."""
        self._holds.appendleft(_Hold(None, ""))

    def held(
        self,
        program: str = "",
        seconds: float = 0.0,
        watch: Callable[[], None] | None = None,
    ) -> Held:
        """Return the context in which the calling function holds it.

        Parameters
        ----------
        program
            The name of the program that runs meanwhile.
        seconds
            How long to wait for it.
        watch
            Called now and then during a long wait, which ends if it raises.  Without
            it, a wait in vain is no error: the context then gives False.

        Raises
        ------
        DeadlineExceededError
            On entry, if it is held until the deadline; the message says by whom.
        """
        return Held(self, program, seconds, watch)

    def take(self, hold: _Hold, seconds: float, watch: Callable[[], None]) -> None:
        """Wait until a hold is the first in the queue."""
        holds = self._holds
        holds.append(hold)
        if holds[0] is not hold and self._first() is not hold:
            self._wait(hold, seconds, watch)
        hold.since = time.monotonic()

    def try_to_take(self, hold: _Hold, seconds: float) -> bool:
        """Return whether a hold became the first within some seconds."""
        deadline = time.monotonic() + seconds if seconds else 0.0
        if not seconds and self._first() is not None:
            return False
        self._holds.append(hold)
        while self._first() is not hold:
            left = deadline - time.monotonic() if seconds else 0.0
            if left <= 0.0:
                self.leave(hold)
                return False
            self._sleep(hold, left)
        hold.since = time.monotonic()
        return True

    def leave(self, hold: _Hold) -> None:
        """Take a hold out of the queue, and wake the one that is now the first."""
        with contextlib.suppress(ValueError):  # somebody saw that it was over
            self._holds.remove(hold)
        hold.frame = None  # which has a reference to it
        with contextlib.suppress(IndexError):
            first = self._holds[0]
            if first.wake is not None:
                first.wake.put(None)

    def _first(self) -> _Hold | None:
        """Return who holds it, after removing those that are over."""
        while self._holds:
            try:
                first = self._holds[0]
            except IndexError:  # given back just now
                break
            if not first.is_over():
                return first
            self.leave(first)
        return None

    def _sleep(self, hold: _Hold, seconds: float) -> None:
        """Wait until a hold may be the first."""
        if hold.wake is None:
            hold.wake = queue.SimpleQueue()
            if self._first() is hold:  # perhaps before it could be woken
                return
        with contextlib.suppress(queue.Empty):
            hold.wake.get(timeout=min(_LOOK_SECONDS, max(0.0, seconds)))

    def _wait(self, hold: _Hold, seconds: float, watch: Callable[[], None]) -> None:
        begin = time.monotonic()
        patience, warned = min(WARNING_SECONDS, seconds / 10), False
        while True:
            until = seconds if warned else patience
            self._sleep(hold, until - (time.monotonic() - begin))
            first = self._first()
            if first is hold:
                return
            watch()
            waited = time.monotonic() - begin
            if waited >= seconds:
                raise DeadlineExceededError(
                    f"{hold.program!r} waited {seconds:g} s (TPUREF_TIMEOUT) for the "
                    f"cores, held by {_described(first)}. Run one after the other, on "
                    "systems of their own, or raise TPUREF_TIMEOUT",
                    code=codes.STALLED,
                )
            if waited >= patience and not warned:
                warned = True
                _LOG.warning(
                    "%r has waited %g s for the cores, held by %s; it ends after "
                    "%g s (TPUREF_TIMEOUT) [%s]",
                    hold.program,
                    patience,
                    _described(first),
                    seconds,
                    codes.STALL_REPORT,
                )


class Held:
    """The context in which a function holds an `Occupation`; see `Occupation.held`."""

    __slots__ = ("_hold", "_occupation", "_program", "_seconds", "_watch")

    def __init__(
        self,
        occupation: Occupation,
        program: str,
        seconds: float,
        watch: Callable[[], None] | None,
    ) -> None:
        self._occupation = occupation
        self._program = program
        self._seconds = seconds
        self._watch = watch

    def __enter__(self) -> bool:
        self._hold = hold = _Hold(sys._getframe(1), self._program)
        occupation, watch = self._occupation, self._watch
        if watch is None:
            return occupation.try_to_take(hold, self._seconds)
        try:
            occupation.take(hold, self._seconds, watch)
        except BaseException:
            occupation.leave(hold)
            raise
        return True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._occupation.leave(self._hold)


def _described(hold: _Hold | None) -> str:
    names = {t.ident: t.name for t in threading.enumerate()}
    if hold is None or not hold.program:
        return "another run"
    held = time.monotonic() - hold.since
    thread = names.get(hold.thread)
    return f"a run of {hold.program!r} in thread {thread!r} for {held:.1f} s"
