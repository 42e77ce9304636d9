"""The schedule of towers: stages on the cores alternate with stages on the host.

Even stages run on the host, odd stages on the cores.  Towers do not wait for one
another within a stage, except in a `TowerSum`.
"""

from collections.abc import Iterable, Sequence

from tpuref.engine.graph.tensor import Operation
from tpuref.engine.graph.tower_placement import LABEL, TowerPlacement
from tpuref.engine.ops.collectives import TOWER_SUM
from tpuref.engine.ops.definition import Place
from tpuref.engine.ops.tpu import Replication
from tpuref.kernels.fold import SUMMABLE

Stage = tuple[Replication | None, list[Operation]]
"""The operations of one stage: on the towers of a system, or None for the host."""


def stages(operations: Sequence[Operation]) -> list[Stage]:
    """Return the operations, which follow their inputs, in stages."""
    schedule = _Schedule(operations)
    by_slot: dict[tuple[int, Replication | None], list[Operation]] = {}
    for operation in operations:
        by_slot.setdefault(schedule.slot(operation), []).append(operation)
    return [(key[1], by_slot[key]) for key in sorted(by_slot, key=lambda key: key[0])]


def joint_sum(operation: Operation) -> Replication | None:
    """Return the system if an operation sums one value from each of its towers."""
    if (
        operation.definition is not TOWER_SUM
        or operation.outputs[0].dtype not in SUMMABLE
    ):
        return None
    places = [tensor.op.labels.get(LABEL) for tensor in operation.inputs]
    if not isinstance(places[0], TowerPlacement):
        return None
    system = places[0].system
    wanted = [TowerPlacement(k, system) for k in range(system.replicas)]
    return system if places == wanted else None


class _Schedule:
    """The stage of each operation, assigned in graph order."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._shared = _shared_variables(operations)
        self._places: dict[Operation, TowerPlacement | Replication | None] = {}
        self._times: dict[Operation, int] = {}
        last: dict[str, list[Operation]] = {}
        for operation in operations:
            self._places[operation] = self._place(operation)
            self._times[operation] = self._time(operation, last)

    def slot(self, operation: Operation) -> tuple[int, Replication | None]:
        """Return the stage of an operation and its system."""
        return self._times[operation], _system(self._places[operation])

    def _place(self, operation: Operation) -> TowerPlacement | Replication | None:
        # Reads and writes of a shared variable run on the host, in graph order: the
        # towers of one stage run concurrently.
        if _is_hosts(operation) or _handles(operation) & self._shared:
            return None
        summed = joint_sum(operation)
        if summed is not None and all(
            isinstance(self._places.get(t.op), TowerPlacement) for t in operation.inputs
        ):
            return summed
        return operation.labels.get(LABEL)

    def _time(self, operation: Operation, last: dict[str, list[Operation]]) -> int:
        awaited = [tensor.op for tensor in operation.captured_inputs()]
        awaited += operation.all_control_inputs()
        # Conflicting uses of a variable keep their order; reads commute.
        for handle in _handles(operation):
            users = last.setdefault(handle, [])
            if _writes(operation, handle) or any(_writes(u, handle) for u in users):
                awaited += users
            users.append(operation)
        own = self._places[operation]
        time = 0 if own is None else 1
        for before in awaited:
            if before in self._times:
                time = max(time, self._after(before, own))
        return time

    def _after(
        self, before: Operation, own: TowerPlacement | Replication | None
    ) -> int:
        """Return the earliest stage at `own` that can wait for `before`."""
        # Within a stage, the host and each tower run their operations in order, so the
        # same place can share the stage. Between host and cores the next stage is the
        # earliest. A value of another tower leaves the cores at the end of its stage
        # and returns with the next core stage, two later. A joint sum exchanges values
        # within the stage, so all towers of its system count as one place.
        time, place = self._times[before], self._places[before]
        if own is None or place is None:
            return time if own is place else time + 1
        joint = isinstance(own, Replication) or isinstance(place, Replication)
        together = own == place or (joint and _system(own) == _system(place))
        return time if together else time + 2


def _is_hosts(operation: Operation) -> bool:
    """Whether an operation runs on the host even inside a tower."""
    definition = operation.definition
    return (
        definition.place is Place.HOST
        or definition.traits.fed
        or definition.collective is not None  # its group outside of replicas is one
        or operation.placement.kind == "CPU"
    )


def _system(place: TowerPlacement | Replication | None) -> Replication | None:
    return place.system if isinstance(place, TowerPlacement) else place


def _shared_variables(operations: Iterable[Operation]) -> set[str]:
    """Return the variables that are written by one tower and used by another."""
    users: dict[str, set[object]] = {}
    written: set[str] = set()
    for operation in operations:
        place = operation.labels.get(LABEL)
        for handle in _handles(operation):
            if place is not None:
                users.setdefault(handle, set()).add(place)
            if _writes(operation, handle):
                written.add(handle)
    return {handle for handle in written if len(users.get(handle, ())) > 1}


def _handles(operation: Operation) -> set[str]:
    """Return the variables that an operation, or its branch or body, uses."""
    definition = operation.definition
    named = (definition.reads, definition.writes)
    handles = {operation.attrs[name] for name in named if name is not None}
    for block in operation.blocks:
        for inner in block.operations:
            handles |= _handles(inner)
    return handles


def _writes(operation: Operation, handle: str) -> bool:
    written = operation.definition.writes
    if written is not None:
        return bool(operation.attrs[written] == handle)
    return any(
        _writes(inner, handle)
        for block in operation.blocks
        for inner in block.operations
    )
