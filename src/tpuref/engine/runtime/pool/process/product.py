"""Products of the matrices of all cores and one that they share, as one product.

BLAS copies the shared matrix into another order once for each product, which for 16
rows takes as long as the product.  The bits of a row should not depend on the number of
rows, but small products have other kernels: random numbers tell.
"""

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.kernels import products

MOST_COMPARED = 1 << 28
"""The most multiplications of a product that is compared; larger ones stay apart."""

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def turns(instr: Instr) -> tuple[bool, bool]:
    """Return whether a MatMul of real matrices transposes the left and the right."""
    left, right = (
        any(
            instr.attrs.get(f"{what}_{side}", False)
            for what in ("transpose", "adjoint")
        )
        for side in "ab"
    )
    return left, right


@lru_cache(maxsize=1024)
def joint(
    cores: int,
    left: tuple[int, ...],
    right: tuple[int, ...],
    dtype: np.dtype[Any],
    turned: bool,
) -> Callable[..., Array] | None:
    """Return a function that multiplies for all cores with the bits of each, or None.

    `left` is the shape of the matrix of one core, `right` that of the shared one, which
    is transposed if it is `turned`.
    """
    multiplications = cores * math.prod(left) * right[0 if turned else 1]
    if dtype not in _DTYPES or not 0 < multiplications <= MOST_COMPARED:
        return None
    draw = np.random.default_rng(0)
    x = draw.standard_normal((cores, *left)).astype(dtype)
    y = draw.standard_normal(right).astype(dtype)
    apart = products.multiply(x, y.T if turned else y)
    for function in (products.multiply, np.matmul):
        multiply = partial(_multiply, function, turned)
        if multiply(x, y, out=np.empty_like(apart)).tobytes() == apart.tobytes():
            return multiply
    return None


def _multiply(
    function: Callable[..., Array], turned: bool, x: Array, y: Array, *, out: Array
) -> Array:
    """Multiply the matrices of all cores by a shared one, and return `out`."""
    rows, place = (array.reshape(-1, array.shape[-1]) for array in (x, out))
    function(rows, y.T if turned else y, place)
    return out
