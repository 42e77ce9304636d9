"""Compute the elements of a pass in a thread, with a deadline for each element.

::

    consumer                                 thread
    --------                                 ------
    requests an element   --- tokens --->    computes it
    waits, no longer      <-- results ---    returns it, or an error, or the end
    than the deadline

Each operation of both queues is a single call into C, so an interrupt never leaves a
lock held.  Code that blocks in a C call, such as ``time.sleep``, ignores an exception
that another thread raises in it, so the deadline needs a thread even where nothing is
computed in advance.  A request costs about 50 microseconds, once per batch after
`batch`.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any, TypeAlias

from tpuref.base import error_codes as codes
from tpuref.base.callsite import CallSite
from tpuref.base.errors import DeadlineExceededError
from tpuref.engine.configuration import config
from tpuref.engine.graph.context import context
from tpuref.engine.program import Instr
from tpuref.engine.runtime.log import advice
from tpuref.interface.data.element import Item

CLOSING_SECONDS = 5.0
"""The time that `close` waits for the thread to end."""

WARNING_SECONDS = 10.0
"""A wait is reported after this time, or after a tenth of the deadline."""

_LOOK_SECONDS = 0.5
_LOG = advice("stall")

_Result: TypeAlias = tuple[Item | None, BaseException | None]
"""An item; an error instead of one; or None at the end."""


class Transformation:
    """An object that computes elements, with the call site that created it."""

    site: CallSite | None

    @property
    def name(self) -> str:
        """The name in errors, such as ``BatchDataset``."""
        return f"{type(self).__name__}Dataset"


class _Progress:
    """Counts the calls of user functions that a thread has completed."""

    def __init__(self, outer: _Progress | None) -> None:
        self.count = 0
        self.outer = outer


class _Local(threading.local):
    progress: _Progress | None = None


_local = _Local()


def note_progress() -> None:
    """Record progress of the calling thread, and of threads that wait for it."""
    progress = _local.progress
    while progress is not None:
        progress.count += 1
        progress = progress.outer


class Ahead:
    """Iterates over `items` in a thread that keeps up to `capacity` of them ready.

    With capacity 0, each item is computed on request, with the thread-local settings of
    the consumer.  The iteration raises DeadlineExceededError if the thread makes no
    progress until the deadline.
    """

    def __init__(self, items: Iterator[Item], capacity: int) -> None:
        self._capacity = capacity
        self._tokens: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[_Result] = queue.SimpleQueue()
        self._progress = _Progress(_local.progress)
        self._abandoned = False
        for _ in range(capacity):
            self._tokens.put({})
        self.thread = threading.Thread(
            target=_work,
            args=([items], self._tokens, self._results, self._progress),
            name="tpuref input",
            daemon=True,
        )
        self.thread.start()

    def __iter__(self) -> Iterator[Item]:
        while True:
            if not self._capacity:
                before = {name: held.copy() for name, held in vars(context).items()}
                self._tokens.put(vars(context).copy())
            item, error = self._next()
            if self._abandoned and not self._capacity:
                vars(context).update(before)  # its stacks stay with the thread
            if error is not None:
                try:
                    raise error
                finally:
                    del error  # its traceback refers to this frame, a reference cycle
            if item is None:
                return
            if self._capacity:
                self._tokens.put({})
            yield item

    def close(self) -> None:
        """End the thread."""
        self._tokens.put(None)
        if not self._abandoned and self.thread is not threading.current_thread():
            self.thread.join(CLOSING_SECONDS)

    def _next(self) -> _Result:
        """Return the next result; progress of the thread restarts the deadline."""
        begin, seconds = time.monotonic(), config.timeout
        patience, warned = min(WARNING_SECONDS, seconds / 10), False
        count = self._progress.count
        while True:
            left = begin + (seconds if warned else patience) - time.monotonic()
            with contextlib.suppress(queue.Empty):
                return self._results.get(timeout=min(_LOOK_SECONDS, max(0.0, left)))
            now = time.monotonic()
            if self._progress.count != count:
                begin, count = now, self._progress.count
            elif now - begin >= seconds:
                if _location(self.thread)[1] is None:
                    # No transformation is on its stack: it may be about to return the
                    # error of an inner thread, which has the same deadline.
                    with contextlib.suppress(queue.Empty):
                        return self._results.get(timeout=_LOOK_SECONDS)
                return None, self._stall_error(seconds)
            elif now - begin >= patience and not warned:
                warned = True
                _LOG.warning(
                    "%s has given no element for %g s; the wait ends after %g s "
                    "(TPUREF_TIMEOUT) [%s]",
                    _place_text(*_location(self.thread)),
                    patience,
                    seconds,
                    codes.STALL_REPORT,
                )

    def _stall_error(self, seconds: float) -> DeadlineExceededError:
        """Return the error of a missed deadline, and rename the abandoned thread."""
        name, site = _location(self.thread)
        self.thread.name = f"tpuref abandoned: {_place_text(name, site)}"
        self._abandoned = True
        return DeadlineExceededError(
            f"{_place_text(name, site)} gave no element for {seconds:g} s "
            "(TPUREF_TIMEOUT). A function or generator of the program hangs in it; "
            f"its thread {self.thread.name!r} is left behind, as Python cannot stop it",
            code=codes.STALLED,
            op=name,
            site=site,
        )


def _work(
    sources: list[Iterator[Item]],
    tokens: queue.SimpleQueue[Any],
    results: queue.SimpleQueue[_Result],
    progress: _Progress,
) -> None:
    """Compute an item for each token, until the items end or a token is None."""
    _local.progress = progress
    # The list is emptied, so that no frame but this one keeps the iterator alive.
    items: Iterator[Item] | None = sources.pop()
    try:
        while items is not None and (token := tokens.get()) is not None:
            vars(context).update(token)
            item = next(items, None)
            if item is None:
                break
            results.put((item, None))
    except BaseException as error:  # raised by the consumer's iteration
        results.put((None, error))
    else:
        del items  # ends threads behind the iterator before the consumer continues
        results.put((None, None))


def _location(thread: threading.Thread) -> tuple[str, CallSite | None]:
    """Return the innermost transformation on a thread's stack, and its call site."""
    frame: FrameType | None = sys._current_frames().get(thread.ident or 0)
    instr: Instr | None = None
    while frame is not None:
        local = frame.f_locals
        owner = local.get("self")
        if isinstance(owner, Ahead):
            return _location(owner.thread)
        if isinstance(owner, Transformation):
            return owner.name, owner.site
        if instr is None and isinstance(local.get("instr"), Instr):
            instr = local["instr"]
        frame = frame.f_back
    return ("the input", None) if instr is None else (instr.op, instr.site)


def _place_text(name: str, site: CallSite | None) -> str:
    return name if site is None else f"{name}, built at {site},"
