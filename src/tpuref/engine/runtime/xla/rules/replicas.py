"""Operations between replicas: sums, and the number of the replica."""

from collections.abc import Sequence
from functools import partial

import jax.numpy as jnp
import numpy as np

from tpuref.base.errors import OpError
from tpuref.engine.program import Instr
from tpuref.engine.runtime.meaning.divergence import absent_replicas
from tpuref.engine.runtime.meaning.lockstep import locate
from tpuref.engine.runtime.xla.context import Context, Describe
from tpuref.engine.runtime.xla.rules import Lower
from tpuref.engine.runtime.xla.rules.sums import fold
from tpuref.engine.runtime.xla.value import Value


def _sum(context: Context, instr: Instr, operands: Sequence[Value]) -> list[Value]:
    """Add up each group's contributions in the order of the replicas."""
    (value,) = operands
    groups = instr.attrs["groups"] or (tuple(range(context.replicas)),)
    # All replicas compute the sum, also those that skip this branch: a member
    # that is not active is an error, as it is in lockstep.
    if context.active is not None and context.active.stacked:
        _check_present(context, instr, groups)
    if not value.stacked and len({len(group) for group in groups}) == 1:
        return [Value(fold([value.array] * len(groups[0])), False)]
    rows = value.rows(context.replicas)
    if len(groups) == 1:
        total = value.total or partial(context.placement.total, rows)
        return [Value(total(), False)]
    rows = context.placement.everywhere(rows)
    totals = [fold([rows[r] for r in sorted(group)]) for group in groups]
    member = {r: total for g, total in zip(groups, totals, strict=True) for r in g}
    every = jnp.stack([member[r] for r in range(context.replicas)])
    return [Value(context.placement.divided(every), True)]


def _check_present(
    context: Context, instr: Instr, groups: Sequence[Sequence[int]]
) -> None:
    """Fail if only some replicas of a group reach a sum."""
    assert context.active is not None
    here = context.active.rows(context.replicas)
    for group in groups:
        members = np.zeros(context.replicas, np.bool_)
        members[list(group)] = True
        missing = jnp.any(members & ~here)
        context.fail_where(
            instr, Value(members & missing, True), _absence(instr, group)
        )


def _absence(instr: Instr, group: Sequence[int]) -> Describe:
    def describe(present: list[int]) -> OpError:
        error = absent_replicas(instr.op, group, present)
        locate(error, instr)
        return error

    return describe


def _replica_id(
    context: Context, instr: Instr, operands: Sequence[Value]
) -> list[Value]:
    if instr.replica is not None or context.replicas == 1:
        return [Value(np.asarray(instr.replica or 0, np.int32), False)]
    every = jnp.arange(context.replicas, dtype=jnp.int32)
    return [Value(context.placement.divided(every), True)]


LOWERINGS: dict[str, Lower] = {"CrossReplicaSum": _sum, "ReplicaId": _replica_id}
