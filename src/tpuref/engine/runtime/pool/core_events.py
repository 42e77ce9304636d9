"""Events of the cores in one run, for a trace or a recording."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic_ns
from types import MappingProxyType
from typing import Any, NamedTuple

from tpuref.engine.ops.definition import Place
from tpuref.engine.program import HOST, Instr
from tpuref.engine.runtime.pool.split import LocalCore

COLLECTIVE, BLOCK, HOST_CALL = "collective", "block", "host call"
OPERATION, SEND, RECEIVE, PREPARE = "operation", "send", "receive", "prepare"

TO_CORE, TO_REPLICA = 0, 1

Peer = tuple[int, int]
"""The other end of a transfer: a logical core or a replica, and its number."""

CoreEvent = tuple[int, str, int, int, tuple[Any, ...], tuple[Any, ...]]
"""Instruction, kind, begin and end in nanoseconds, the meetings, shape and bytes.

The meeting of a collective is how often the core reached it before in this run; that of
a transfer is the kind of peer, its number, and how many values passed before.
"""


class Label(NamedTuple):
    """The description of a step for an observer.

    `number` is 0 without an instruction, `kind` None for a step that is not recorded.
    `local_cores` are places in a column of values, `slots` the values computed, sent or
    received, `peers` the other ends of a transfer.  A trace lists it if `traced`.
    """

    instr: Instr | None
    number: int
    kind: str | None
    local_cores: Mapping[int, LocalCore]
    slots: tuple[int, ...] = ()
    peers: Mapping[int, tuple[Peer, ...]] = MappingProxyType({})
    traced: bool = False


class CoreEvents:
    """The cores of one process in a run: all names of operations, the latest events.

    All processes of a machine share one monotonic clock, so the times of cores and host
    can be compared.

    `capacity` events of each core are kept, and names only if `traced`.  `names` and
    `noted`, the number of events, are by core.
    """

    def __init__(self, traced: bool, capacity: int) -> None:
        self._traced, self.capacity = traced, capacity
        self._kept: dict[int, deque[CoreEvent]] = {}
        self._met: Counter[tuple[int, ...]] = Counter()
        self.names: dict[int, list[str]] = {}
        self.noted: Counter[int] = Counter()

    def observe(
        self, step: Callable[[list[Any]], None], label: Label, values: list[Any]
    ) -> None:
        """Run a step and record it, even if it fails."""
        begin = monotonic_ns()
        try:
            step(values)
        finally:
            self.note(label, begin, values)

    def note(self, label: Label, begin: int, values: Sequence[Any] = ()) -> None:
        """Record for each core a step that began at `begin` and ends now."""
        end = monotonic_ns()
        columns = [values[slot] for slot in label.slots]
        for place, local in label.local_cores.items():
            if self._traced and label.traced and label.instr is not None:
                self.names.setdefault(local.core, []).append(label.instr.name)
            if label.kind is None or not self.capacity:
                continue
            made = [column[place] for column in columns if column is not None]
            shapes = tuple((v.shape, v.nbytes) for v in made if v is not None)
            meetings: tuple[Any, ...] = ()
            if label.kind == COLLECTIVE:
                meetings = (self._meeting((local.core, label.number)),)
            elif place in label.peers:
                meetings = tuple(
                    (*peer, self._meeting((local.core, label.kind == SEND, *peer)))
                    for peer in label.peers[place]
                )
            self.noted[local.core] += 1
            event = label.number, label.kind, begin, end, meetings, shapes
            self._kept_of(local.core).append(event)

    def _kept_of(self, core: int) -> deque[CoreEvent]:
        return self._kept.setdefault(core, deque(maxlen=self.capacity))

    def _meeting(self, key: tuple[int, ...]) -> int:
        """Return the number of earlier meetings, and count this one."""
        self._met[key] += 1
        return self._met[key] - 1

    def taken(self, core: int) -> list[CoreEvent]:
        """Return the latest events of a core, each after those inside it."""
        return list(self._kept_of(core))


def kind(instr: Instr) -> str:
    """Return the kind of the event of an instruction."""
    if instr.blocks:
        return BLOCK
    definition = instr.definition
    if instr.core == HOST or definition.place is not Place.ANYWHERE:
        return HOST_CALL
    if definition.collective is not None:
        return COLLECTIVE
    return OPERATION
