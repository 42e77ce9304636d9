"""Calls of the cores that change variables of the host, in the order of the replicas.

Lockstep takes a host part for one replica after the other.  Cores reach it in any
order, so a call waits for those of the replicas before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

PATIENCE_SECONDS = 0.02
"""How long nothing may happen until a call no longer waits for its turn.

A replica before it may have taken another branch, or wait for the one that calls.
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
        """Add the call of a replica at an instruction, and what serves it."""
        self._waiting.append(_Call(replica, tuple(path), serve))
        self._waiting.sort(key=lambda call: call.replica)

    def serve(self, running: Collection[int], patient: bool) -> None:
        """Serve the calls whose turn it is; the first in any case if not `patient`."""
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
        """Whether no replica before it has yet to make this call."""
        turn = self._served[call.replica, call.path]
        return all(
            self._served[replica, call.path] > turn
            for replica in running
            if replica < call.replica
        )
