"""Sums over all replicas of products, computed as one product.

The gradient of a weight is a product over the examples of a replica, and the sum of
those gradients is a product over the examples of all replicas: one product instead of
one for each replica, each of which writes a gradient as large as the weight.  The sum
rounds in another order than lockstep's, as products do anyway.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.value import Value

Added = Callable[[], Any] | None
Total = Callable[[Placement, Sequence[Value], Mapping[str, Any]], Added]
"""``total(placement, operands, attrs)`` returns a function of the sum of the output
over all replicas, which needs no output of each; None if there is none."""


def _both_stacked(operands: Sequence[Value]) -> bool:
    """Whether all are stacked, of a type whose products are rounded once."""
    # A product of 16-bit numbers is rounded to 16 bits on each replica.
    return all(
        value.stacked and value.dtype.str[1:] in ("f4", "f8") for value in operands
    )


def _matmul(
    placement: Placement, operands: Sequence[Value], attrs: Mapping[str, Any]
) -> Added:
    if not _both_stacked(operands) or any(len(v.shape) != 2 for v in operands):
        return None
    turn_left = attrs.get("transpose_a") or attrs.get("adjoint_a")
    turn_right = attrs.get("transpose_b") or attrs.get("adjoint_b")

    def product(left: Any, right: Any) -> Any:
        # XLA copies operands that are contracted over two axes, transposed.
        left = left if turn_left else jnp.swapaxes(left, 1, 2)
        right = jnp.swapaxes(right, 1, 2) if turn_right else right
        left, right = (rows.reshape(-1, rows.shape[2]) for rows in (left, right))
        return jax.lax.dot_general(left, right, (((0,), (0,)), ((), ())))

    return partial(placement.added, product, [value.array for value in operands])


def _add_n(
    placement: Placement, operands: Sequence[Value], attrs: Mapping[str, Any]
) -> Added:
    if all(value.total is None for value in operands):
        return None

    def total() -> Any:
        sums = [
            value.total or partial(placement.total, value.rows(placement.replicas))
            for value in operands
        ]
        return sum(each() for each in sums[1:]) + sums[0]()

    return total


def _same(
    placement: Placement, operands: Sequence[Value], attrs: Mapping[str, Any]
) -> Added:
    return operands[0].total


TOTALS: dict[str, Total] = {
    "MatMul": _matmul,
    "AddN": _add_n,
    "AddV2": _add_n,
    "Identity": _same,
}
