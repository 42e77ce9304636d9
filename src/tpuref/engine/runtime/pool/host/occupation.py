"""The lock of the cores: one run at a time, first come, first served.

The lock is a queue of holds, and the first one owns the cores.  Each hold belongs to
the frame of the function that asked for it, and ends with that frame.  With an ordinary
lock, a signal handler that raises between acquiring and the `try` that releases would
leave it locked for ever.  Here such a hold is over as soon as its frame has ended, and
the next thread that looks removes it.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType, TracebackType

from tpuref.base import error_codes as codes
from tpuref.base.errors import DeadlineExceededError
from tpuref.engine.runtime.log import advice

WARNING_SECONDS = 10.0
"""The time, or a tenth of the deadline, after which a wait is reported."""

_LOOK_SECONDS = 0.2  # between the looks of a waiting run whether the cores still exist
_LOG = advice("stall")


class _Hold:
    """One place in the queue; without a frame, it lasts forever."""

    __slots__ = ("frame", "program", "since", "thread", "wake")

    def __init__(self, frame: FrameType | None, program: str) -> None:
        self.frame = frame
        self.program = program
        self.thread = threading.get_ident()
        self.since = 0.0
        self.wake: queue.SimpleQueue[None] | None = None

    def is_over(self) -> bool:
        """Whether its function has ended without releasing it."""
        frame = self.frame
        if frame is None:
            return False
        try:
            frame.clear()  # refused exactly while the function runs
        except RuntimeError:
            return False
        return True


class Occupation:
    """A fair lock that knows its owner, for the message of a wait that fails."""

    def __init__(self) -> None:
        self._holds: deque[_Hold] = deque()

    @property
    def is_own(self) -> bool:
        """Whether the calling thread owns it."""
        if not self._holds:
            return False
        first = self._first()
        return first is not None and first.thread == threading.get_ident()

    def locked(self) -> bool:
        """Return whether any function owns it."""
        return self._first() is not None

    def close(self) -> None:
        """Lock it for ever."""
        self._holds.appendleft(_Hold(None, ""))

    def held(
        self,
        program: str = "",
        seconds: float = 0.0,
        watch: Callable[[], None] | None = None,
    ) -> Held:
        """Return the context in which the calling function owns it.

        `program` names the run in messages, `seconds` is the time to wait, and `watch`,
        called during a long wait, ends it by raising.  A timeout raises
        DeadlineExceededError, which names the owner; without `watch`, the value of the
        context is then False.
        """
        return Held(self, program, seconds, watch)

    def take(self, hold: _Hold, seconds: float, watch: Callable[[], None]) -> None:
        """Append a hold, and wait until it is the first in the queue."""
        holds = self._holds
        holds.append(hold)
        if holds[0] is not hold and self._first() is not hold:
            self._wait(hold, seconds, watch)
        hold.since = time.monotonic()

    def try_to_take(self, hold: _Hold, seconds: float) -> bool:
        """Append a hold for up to `seconds`; return whether it became the first."""
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
        """Remove a hold from the queue, and wake the next."""
        with contextlib.suppress(ValueError):  # another thread removed it as over
            self._holds.remove(hold)
        hold.frame = None  # the frame refers to the hold: a cycle
        with contextlib.suppress(IndexError):
            first = self._holds[0]
            if first.wake is not None:
                first.wake.put(None)

    def _first(self) -> _Hold | None:
        """Return the owner, after removing holds that are over."""
        while self._holds:
            try:
                first = self._holds[0]
            except IndexError:  # released just now
                break
            if not first.is_over():
                return first
            self.leave(first)
        return None

    def _sleep(self, hold: _Hold, seconds: float) -> None:
        """Sleep until a hold may be the first.

        The queue `wake` is created only for a hold that sleeps.  `leave` may have
        looked for it before, so this looks once more after creating it.
        """
        if hold.wake is None:
            hold.wake = queue.SimpleQueue()
            if self._first() is hold:
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
                    f"cores, held by {_describe(first)}. Run one after the other, on "
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
                    _describe(first),
                    seconds,
                    codes.STALL_REPORT,
                )


@dataclass(slots=True)
class Held:
    """The context of `Occupation.held`."""

    _occupation: Occupation
    _program: str
    _seconds: float
    _watch: Callable[[], None] | None
    _hold: _Hold = field(init=False)

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


def _describe(hold: _Hold | None) -> str:
    names = {t.ident: t.name for t in threading.enumerate()}
    if hold is None or not hold.program:
        return "another run"
    held = time.monotonic() - hold.since
    thread = names.get(hold.thread)
    return f"a run of {hold.program!r} in thread {thread!r} for {held:.1f} s"
