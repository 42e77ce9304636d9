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


def tiles(rows: int, parts: int) -> int:
    """Return the number of tiles of the rows of a sum, a multiple of `parts`.

    NumPy needs no tiles: here each row is one, however many `parts` there are.
    """
    return rows


def copied_size(inner: int, rows: int, columns: int, tiles: int) -> int:
    """Return the number of floats of a copy of the factors of a product."""
    return inner * (rows + columns)


def copy_factors(
    lefts: Sequence[Array], rights: Sequence[Array], tiles: int, copies: Array
) -> None:
    """Copy the factors of each product in the order in which `add_up` reads them.

    The left matrices, ``[inner, rows]``, are transposed in the product.  The right ones
    are ``[inner, columns]``; columns is a multiple of 16.  No axis is empty.
    """
    for left, right, copy in zip(lefts, rights, copies, strict=True):
        np.concatenate([left, right], axis=None, out=copy)


def add_up(
    copies: Sequence[Array],
    inner: int,
    tiles: int,
    first: int,
    last: int,
    result: Array,
) -> None:
    """Write tiles [first, last) of the sum of the copied products to `result`."""
    rows, columns = result.shape
    factors = [np.split(copy, [inner * rows]) for copy in copies]
    result[first:last] = fold(
        [
            left.reshape(inner, rows)[:, first:last].T @ right.reshape(inner, columns)
            for left, right in factors
        ]
    )
