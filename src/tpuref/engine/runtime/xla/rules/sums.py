"""Sums over replicas, from left to right as `tpuref.kernels.fold` adds."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp

from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.runtime.xla.rules import Rule

LARGEST_WRITTEN_OUT = 32
"""The largest number of additions that is unrolled."""


def fold(contributions: Sequence[Any]) -> Any:
    """Return ``((x[0] + x[1]) + x[2]) + ...``, rounded once."""
    dtype = contributions[0].dtype
    if len(contributions) <= LARGEST_WRITTEN_OUT:
        return jnp.asarray(reduce(jnp.add, map(widened, contributions)), dtype)
    rows = widened(jnp.stack(contributions))
    total = jax.lax.fori_loop(
        1, len(contributions), lambda k, sofar: sofar + rows[k], rows[0]
    )
    return jnp.asarray(total, dtype)


def tower_sum(xp: Any, *contributions: Any) -> Any:
    """Add the values of the towers."""
    return fold(contributions)


RULES: dict[str, Rule] = {"TowerSum": tower_sum}
