"""Sums of products of float32 matrices, the left ones transposed."""

from collections.abc import Sequence

from tpuref.kernels.fold import fold
from tpuref.kernels.python.convolution import Array


def add_up(
    lefts: Sequence[Array],
    rights: Sequence[Array],
    first: int,
    last: int,
    result: Array,
) -> None:
    """Write rows [first, last) of the sum of the products to `result`.

    All matrices are C-contiguous, and not empty.  Their shapes are ``[inner, rows]``
    and ``[inner, columns]``, that of `result` is ``[rows, columns]``; columns is a
    multiple of 16.
    """
    pairs = zip(lefts, rights, strict=True)
    result[first:last] = fold([x[:, first:last].T @ y for x, y in pairs])
