"""The infeed and outfeed queues of the cores."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.ownership import owned

CAPACITY = 1024
"""Tuples that the queue of one core holds before the next has to wait."""

WATCH_SECONDS = 0.05
"""How often a wait checks whether the run is still on."""

Watch = Callable[[], None]


class DeviceQueues:
    """A queue for each core, all in one direction, first in first out.

    `name` is ``"infeed"`` or ``"outfeed"``, for messages.  `filled_by` and `emptied_by`
    are the functions that add tuples and take them, for messages.
    """

    def __init__(self, name: str, filled_by: str, emptied_by: str) -> None:
        self.name = name
        self._filled_by = filled_by
        self._emptied_by = emptied_by
        self._waiting: dict[int, deque[tuple[Array, ...]]] = {}
        self._taken: dict[int, int] = {}
        self._failures = 0
        self._failure = ""
        self._changed = threading.Condition()

    def put(
        self,
        core: int,
        elements: Sequence[Array],
        timeout: float,
        watch: Watch | None = None,
    ) -> None:
        """Add one tuple to the queue of `core`, waiting until there is room.

        It raises ResourceExhaustedError if there is no room after `timeout` seconds,
        and AbortedError if the computation that uses the queue fails meanwhile.
        """
        kept = tuple(map(owned, elements))
        with self._changed:
            queue = self._waiting.setdefault(core, deque())
            if not self._wait(core, lambda: len(queue) < CAPACITY, timeout, watch):
                raise errors.ResourceExhaustedError(
                    f"the {self.name} of core {core} is full: it holds {len(queue)} "
                    f"tuples, and none was taken for {timeout:g} s; run "
                    f"{self._emptied_by} in another thread, or add fewer tuples",
                    code=codes.INFEED_UNBALANCED,
                )
            queue.append(kept)
            self._changed.notify_all()

    def take(
        self, core: int, timeout: float, watch: Watch | None = None
    ) -> tuple[Array, ...]:
        """Take the next tuple of `core`, waiting at most `timeout` seconds.

        It raises DeadlineExceededError if none arrives in time, and AbortedError if the
        computation that uses the queue fails meanwhile.
        """
        with self._changed:
            queue = self._waiting.setdefault(core, deque())
            taken = self._taken.get(core, 0)
            if not self._wait(core, lambda: bool(queue), timeout, watch):
                raise errors.DeadlineExceededError(
                    f"the {self.name} of core {core} stalled: {taken} tuples were "
                    f"taken, and the next did not arrive within {timeout:g} s; "
                    f"{self._counts()}. Run {self._filled_by} as often as "
                    f"{self._emptied_by}, for the same core",
                    code=codes.INFEED_UNBALANCED,
                )
            self._taken[core] = taken + 1
            element = queue.popleft()
            self._changed.notify_all()
            return element

    def _wait(
        self, core: int, ready: Callable[[], bool], timeout: float, watch: Watch | None
    ) -> bool:
        """Wait until `ready`, and return whether it came about in time."""
        deadline, failures = time.monotonic() + timeout, self._failures
        while not ready():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._changed.wait(min(left, WATCH_SECONDS))
            if watch is not None:
                watch()
            if failures != self._failures and not ready():
                raise errors.AbortedError(
                    f"the wait for the {self.name} of core {core} ends, because the "
                    f"computation at the other end failed: {self._failure}",
                    code=codes.CORE_LOST,
                )
        return True

    def _counts(self) -> str:
        waiting = {core: len(q) for core, q in sorted(self._waiting.items()) if q}
        return f"tuples waiting by core: {waiting}"

    def give_up(self, failure: str) -> None:
        """End the waits that are under way, because a computation failed."""
        with self._changed:
            self._failures += 1
            self._failure = failure
            self._changed.notify_all()

    def clear(self) -> None:
        """Empty the queues."""
        with self._changed:
            for queue in self._waiting.values():
                queue.clear()  # a thread that waits holds the queue itself
            self._taken.clear()
            self._changed.notify_all()
