"""The order of host calls that change variables: that of the replicas.

Lockstep runs a host part for one replica after the other.  Cores reach it in any order,
so a call waits for those of lower replicas: then both executors leave the same values.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

PATIENCE_SECONDS = 0.02
"""The time without any message after which a call no longer waits for its turn.

A lower replica may have taken another branch, or may itself wait for the caller.
"""


class _Call(NamedTuple):
    replica: int
    path: tuple[int, ...]
    serve: Callable[[], None]


class Turns:
    """The calls that wait for their turn."""

    def __init__(self) -> None:
        self._waiting: list[_Call] = []
        self._served: Counter[tuple[int, tuple[int, ...]]] = Counter()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, replica: int, path: Sequence[int], serve: Callable[[], None]) -> None:
        """Add the call of a replica at an instruction; `serve` serves it."""
        self._waiting.append(_Call(replica, tuple(path), serve))
        self._waiting.sort(key=lambda call: call.replica)

    def serve(self, running: Collection[int], patient: bool) -> None:
        """Serve the calls whose turn it is; without patience, the first in any case."""
        if self._waiting and not patient:
            self._serve(self._waiting[0])
        while (call := self._due(running)) is not None:
            self._serve(call)

    def _serve(self, call: _Call) -> None:
        self._waiting.remove(call)
        self._served[call.replica, call.path] += 1
        call.serve()

    def _due(self, running: Collection[int]) -> _Call | None:
        return next((c for c in self._waiting if self._is_due(c, running)), None)

    def _is_due(self, call: _Call, running: Collection[int]) -> bool:
        """Whether all lower replicas that still run have made this call."""
        turn = self._served[call.replica, call.path]
        return all(
            self._served[replica, call.path] > turn
            for replica in running
            if replica < call.replica
        )
