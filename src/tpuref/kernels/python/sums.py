"""Sums along an axis and at rows, and the greatest elements of rows.

Arrays are C-contiguous, of float32 or float64.

The rounding error of a sum along an axis grows with the logarithm of its length.  Rows
that are narrower than LANES are joined to wider ones.  BLOCK rows are added from the
first to the last, then the sums of blocks in pairs.  At last the joined rows are added,
the second half to the first, until one is left.
"""

from functools import partial

import numpy as np

from tpuref.kernels.python.convolution import Array

LANES = 64
BLOCK = 32

FEW = 32
"""Up to this many columns, a copy with columns first takes less than their maximum."""

LONG_ROW = 32
"""From this width on, adding row by row is faster than `np.add.at`."""


def along_middle(values: Array, result: Array) -> None:
    """Write the sums over the middle axis to `result`.

    Their shapes are ``[before, count, row]`` and ``[before, row]``.
    """
    before, count, row = values.shape
    if not values.size:
        result[...] = 0
        return
    joined = 1 << (max(min(LANES // row, count), 1).bit_length() - 1)
    rows, rest = divmod(count, joined)
    wide = values[:, : rows * joined].reshape(before, rows, joined * row)
    sums = _sum_pairwise(wide)
    sums[:, : rest * row] += values[:, rows * joined :].reshape(before, rest * row)
    while joined > 1:
        joined //= 2
        sums = sums[:, : joined * row] + sums[:, joined * row :]
    result[...] = sums


def greatest_of_rows(values: Array, result: Array) -> None:
    """Write the greatest element of each row to `result`; NaN is the greatest.

    The shape of `values` is ``[rows, count]``; nothing is -infinity.
    """
    rows, count = values.shape
    if 0 < count <= FEW < rows:
        # NumPy calls its loop for each row: the columns of a copy are longer.
        np.maximum.reduce(np.ascontiguousarray(values.T), out=result)
    else:
        np.max(values, axis=1, initial=-np.inf, out=result)


def at_rows(total: Array, rows: Array, updates: Array) -> None:
    """Add the updates, ``[count, width]``, to rows of `total`, in their order.

    `rows` are int64, and not negative.
    """
    if updates.shape[1] < LONG_ROW:
        np.add.at(total, rows, updates)
    else:
        for row, update in zip(rows.tolist(), updates, strict=True):
            np.add(total[row], update, out=total[row])


def _sum_pairwise(rows: Array) -> Array:
    before, count, width = rows.shape
    whole = count // BLOCK * BLOCK
    blocks = rows[:, :whole].reshape(before, -1, BLOCK, width)
    # The sum of negative zeros is one, not NumPy's 0.
    add = partial(np.add.reduce, initial=rows.dtype.type(-0.0))
    sums = [add(blocks, axis=2)] if whole else []
    if whole < count:
        sums.append(add(rows[:, whole:], axis=1, keepdims=True))
    level: Array = np.concatenate(sums, axis=1)
    while (number := level.shape[1]) > 1:
        pairs = level[:, : number // 2 * 2 : 2] + level[:, 1::2]
        level = np.concatenate((pairs, level[:, number // 2 * 2 :]), axis=1)
    return level[:, 0]
