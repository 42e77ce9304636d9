"""The slots of a program during lowering, shared or per replica."""

from collections.abc import Mapping, Sequence

import jax.numpy as jnp

from tpuref.base import error_codes as codes
from tpuref.engine.program import Instr
from tpuref.engine.runtime.xla.errors import refusal
from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.value import Value


class Slots:
    """The values of slots, one of which towers may use for unrelated values."""

    def __init__(self, placement: Placement, values: Mapping[int, Value]) -> None:
        self._placement = placement
        self._replicas = placement.replicas
        self._shared = dict(values)
        self._own: dict[int, dict[int, Value]] = {}

    def __contains__(self, slot: int) -> bool:
        return slot in self._shared or slot in self._own

    def put(self, slot: int, replica: int | None, value: Value) -> None:
        """Set a slot, of one replica or of all."""
        if replica is None:
            self._shared[slot] = value
            self._own.pop(slot, None)
        else:
            self._own.setdefault(slot, {})[replica] = value

    def copy(self, slot: int, source: int, targets: Sequence[int]) -> None:
        """Copy the value of one replica to others."""
        value = self._of(slot, source)
        for replica in targets:
            self.put(slot, replica, value)

    def value_for(self, slot: int, instr: Instr) -> Value:
        """Return the value of a slot that an instruction reads."""
        if instr.replica is not None:
            return self._of(slot, instr.replica)
        if self._own.get(slot) is None:
            return self._shared[slot]
        every = [self._of(slot, r) for r in range(self._replicas) if self._has(slot, r)]
        if all(value is every[0] for value in every):
            return every[0]
        shapes = [list(value.shape) for value in every]
        if shapes.count(shapes[0]) < len(shapes):
            why = f"the replicas have values of the different shapes {shapes}"
            raise refusal(instr, why, codes.XLA_SHAPES_DIFFER)
        # A replica without a value never reads its row, so any value will do.
        rows = [
            (self._of(slot, r) if self._has(slot, r) else every[0]).array
            for r in range(self._replicas)
        ]
        return Value(self._placement.divided(jnp.stack(rows)), True)

    def _has(self, slot: int, replica: int) -> bool:
        return slot in self._shared or replica in self._own[slot]

    def _of(self, slot: int, replica: int) -> Value:
        own = self._own.get(slot, {})
        return own[replica] if replica in own else self._shared[slot].of(replica)
