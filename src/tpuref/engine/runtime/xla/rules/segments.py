"""Reductions of the rows of each segment, and the bits of numbers as another dtype."""

from typing import Any

import jax
import jax.numpy as jnp

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype
from tpuref.engine.runtime.xla.rules import Check, Rule


def _bitcast(xp: Any, x: Any, *, dtype: str) -> Any:
    # XLA has no bits of booleans; a boolean is a byte.
    wanted = as_dtype(dtype).np
    bytes_of = jnp.asarray(x, jnp.uint8) if x.dtype == bool else jnp.asarray(x)
    return jax.lax.bitcast_convert_type(bytes_of, wanted)


def _segments(
    xp: Any, data: Any, ids: Any, num_segments: Any, *, reduction: str
) -> Any:
    count, dtype = int(num_segments), as_dtype(data.dtype)
    rows = jnp.asarray(data).reshape(ids.size, *data.shape[len(ids.shape) :])
    identity = {"max": dtype.min, "min": dtype.max, "prod": 1, "sum": 0}[reduction]
    total = jnp.full((count, *rows.shape[1:]), identity, data.dtype)
    # JAX would count negative positions from the end; TensorFlow drops their rows.
    flat = jnp.asarray(ids).reshape(-1)
    at = total.at[jnp.where(flat < 0, count, flat)]
    reduce = {"max": at.max, "min": at.min, "prod": at.multiply, "sum": at.add}
    return reduce[reduction](rows, mode="drop")


def _check_segments(
    data: Any, ids: Any, num_segments: Any, *, reduction: str
) -> list[tuple[Any, str, str]]:
    message = f"expected segments below {int(num_segments)}"
    wrong = jnp.any(jnp.asarray(ids) >= int(num_segments))
    return [(wrong, codes.INVALID_OPERANDS, message)]


RULES: dict[str, Rule] = {"Bitcast": _bitcast, "UnsortedSegment": _segments}

CHECKS: dict[str, Check] = {"UnsortedSegment": _check_segments}
