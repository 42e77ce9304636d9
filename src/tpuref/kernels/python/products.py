"""Products of matrices, and sums of products of float32 matrices.

NumPy multiplies by BLAS.
"""

from collections.abc import Sequence

import numpy as np

from tpuref.kernels.fold import fold
from tpuref.kernels.python.convolution import Array


def multiply(left: Array, right: Array, out: Array | None = None) -> Array:
    """Return the product of matrices, batched over the axes before the last two."""
    product: Array = np.matmul(left, right, out=out)
    return product


def add_up(
    lefts: Sequence[Array],
    rights: Sequence[Array],
    first: int,
    last: int,
    result: Array,
) -> None:
    """Write rows [first, last) of the sum of products to `result`.

    The left matrices are transposed.  All matrices are C-contiguous, and not empty.
    Their shapes are ``[inner, rows]`` and ``[inner, columns]``, that of `result` is
    ``[rows, columns]``; columns is a multiple of 16.
    """
    pairs = zip(lefts, rights, strict=True)
    result[first:last] = fold([x[:, first:last].T @ y for x, y in pairs])
