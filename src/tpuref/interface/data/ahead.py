"""A thread that computes the elements of a pass, and the deadline of waiting for it.

::

    user of the elements                     thread
    --------------------                     ------
    asks for one        --- tokens --->      computes one
    waits, no longer    <-- results ---      gives it, or its error, or the end
    than the deadline

Both queues work by single calls into C, so an interrupt between them loses no lock.
Code that blocks in a C call, such as ``time.sleep``, ignores an exception that another
thread raises in it.  So the deadline needs a thread even where nothing is computed in
advance; it costs about 50 microseconds per request, once per batch after `batch`.
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
"""How long to wait for the thread's last element."""

WARNING_SECONDS = 10.0
"""A wait is reported after this time, or after a tenth of the deadline."""

_LOOK_SECONDS = 0.5
_LOG = advice("stall")

_Result: TypeAlias = tuple[Item | None, BaseException | None]
"""An item, or why there is none: an error, or None at the end."""


class Transformation:
    """Something that computes elements, and where the user's program built it."""

    site: CallSite | None

    @property
    def name(self) -> str:
        """The name that errors have for it, such as ``BatchDataset``."""
        return f"{type(self).__name__}Dataset"


class _Progress:
    """How many calls of the user's functions a thread has come through."""

    def __init__(self, around: _Progress | None) -> None:
        self.count = 0
        self.around = around


class _Local(threading.local):
    progress: _Progress | None = None


_local = _Local()


def note_progress() -> None:
    """Let nobody take the calling thread for one that hangs."""
    progress = _local.progress
    while progress is not None:
        progress.count += 1
        progress = progress.around


class Ahead:
    """An iterator that a thread consumes for its user.

    Parameters
    ----------
    items
        The iterator.
    capacity
        The number of items to keep ready; with 0 each is computed when it is asked for,
        as if in the thread of the user.

    Raises
    ------
    DeadlineExceededError
        By the iteration, if the thread makes no progress until the deadline.
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
                    del error  # it has this frame
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
        """Return the next result, or the error if there is none until the deadline."""
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
                return None, self._overdue(seconds)
            elif now - begin >= patience and not warned:
                warned = True
                _LOG.warning(
                    "%s has given no element for %g s; the wait ends after %g s "
                    "(TPUREF_TIMEOUT) [%s]",
                    _described(*_location(self.thread)),
                    patience,
                    seconds,
                    codes.STALL_REPORT,
                )

    def _overdue(self, seconds: float) -> DeadlineExceededError:
        """Return the error, and name the thread that is left behind."""
        name, site = _location(self.thread)
        self.thread.name = f"tpuref abandoned: {_described(name, site)}"
        self._abandoned = True
        return DeadlineExceededError(
            f"{_described(name, site)} gave no element for {seconds:g} s "
            "(TPUREF_TIMEOUT). A function or generator of the program hangs in it; "
            f"its thread {self.thread.name!r} is left behind, as Python cannot stop it",
            code=codes.STALLED,
            op=name,
            site=site,
        )


def _work(
    given: list[Iterator[Item]],
    tokens: queue.SimpleQueue[Any],
    results: queue.SimpleQueue[_Result],
    progress: _Progress,
) -> None:
    """Compute an item for each token, until there are none, or the token is None."""
    _local.progress = progress
    items: Iterator[Item] | None = given.pop()
    try:
        while items is not None and (token := tokens.get()) is not None:
            vars(context).update(token)
            item = next(items, None)
            if item is None:
                break
            results.put((item, None))
    except BaseException as error:  # raised for the user of the items
        results.put((None, error))
    else:
        del items  # ends what works for it before the user goes on
        results.put((None, None))


def _location(thread: threading.Thread) -> tuple[str, CallSite | None]:
    """Return what a thread works on: the innermost transformation, and its line."""
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


def _described(name: str, site: CallSite | None) -> str:
    return name if site is None else f"{name}, built at {site},"
