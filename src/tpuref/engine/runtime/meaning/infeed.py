"""The queue that carries tuples from the host to the replicas."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.ownership import owned

CAPACITY = 1024
"""Tuples that one replica's queue holds before enqueueing is refused."""


WATCH_SECONDS = 0.05
"""How often a waiting replica checks whether the run is still on."""


class Infeed:
    """Tuples waiting for each replica, first in first out.

    `name` is the name of the queue in the graph, followed by ``@`` and a unique mark.
    """

    def __init__(self, name: str) -> None:
        self.name = name.partition("@")[0]
        self._waiting: dict[int, deque[tuple[Array, ...]]] = {}
        self._taken: dict[int, int] = {}
        self._closed = False
        self._changed = threading.Condition()

    def enqueue(self, replica: int, elements: Sequence[Array]) -> None:
        """Add one tuple for `replica`."""
        with self._changed:
            queue = self._waiting.setdefault(replica, deque())
            if len(queue) >= CAPACITY:
                raise errors.ResourceExhaustedError(
                    f"infeed {self.name!r} holds {len(queue)} tuples for replica "
                    f"{replica} that no computation has taken; run the computation, or "
                    "enqueue less often",
                    code=codes.INFEED_UNBALANCED,
                )
            queue.append(tuple(map(owned, elements)))
            self._changed.notify_all()

    def dequeue(
        self, replica: int, timeout: float, watch: Callable[[], None] | None = None
    ) -> tuple[Array, ...]:
        """Take the next tuple of `replica`, waiting at most `timeout` seconds.

        Meanwhile `watch` is called now and then; if it raises, the wait ends.
        """
        with self._changed:
            queue = self._waiting.setdefault(replica, deque())
            deadline = time.monotonic() + timeout
            arrived = queue or self._closed
            while not arrived and (left := deadline - time.monotonic()) > 0:
                arrived = self._changed.wait_for(
                    lambda: queue or self._closed, min(left, WATCH_SECONDS)
                )
                if watch is not None:
                    watch()
            taken = self._taken.get(replica, 0)
            if queue:
                self._taken[replica] = taken + 1
                return queue.popleft()
            if arrived:
                raise errors.OutOfRangeError(
                    f"infeed {self.name!r} is exhausted: replica {replica} took all "
                    f"{taken} tuples and needs another",
                    code=codes.INFEED_UNBALANCED,
                )
            raise errors.DeadlineExceededError(
                f"infeed {self.name!r} stalled: replica {replica} took {taken} tuples "
                f"and waited {timeout:g} s for the next; {self._counts()}. Run the "
                "operations of InfeedQueue.generate_enqueue_ops, or close the queue",
                code=codes.INFEED_UNBALANCED,
            )

    def _counts(self) -> str:
        waiting = {r: len(q) for r, q in sorted(self._waiting.items())}
        return f"tuples waiting by replica: {waiting}"

    def close(self) -> None:
        """Close the queue: once it is empty, replicas see the end of the input."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
