"""Columns: the per-core values of one slot, on one process."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.ops.meaning import Array

Column = Sequence[Any]
"""The values of the cores, None for a core without one."""


class Stacked(list[Array]):
    """A column whose arrays are the rows of one array, `stack`.

    >>> import numpy as np
    >>> column = Stacked(np.array([[1, 2], [3, 4]]))
    >>> column[1], column.stack.shape
    (array([3, 4]), (2, 2))
    """

    __slots__ = ("stack",)

    def __init__(self, stack: Array) -> None:
        # Of a vector, iteration gives scalars instead of arrays.
        rows = stack if stack.ndim > 1 else [stack[k, ...] for k in range(len(stack))]
        super().__init__(rows)
        self.stack = stack


SAME, STACKED, APART = range(3)
"""The memory of a column: one array for all cores, rows of one array, separate ones."""

Shape = tuple[int, ...]
Layout = tuple[int, Shape]
"""The layout of a column in memory, and the shape of all its arrays."""


def layout(column: Column) -> Layout | None:
    """Return the layout of a column, None if the shapes of its arrays differ.

    >>> import numpy as np
    >>> x, y = np.zeros(2), np.ones(2)
    >>> layout([x, x]) == (SAME, (2,)), layout([x, y]) == (APART, (2,))
    (True, True)
    >>> layout([x, np.ones(3)]) is None
    True
    """
    first = column[0]
    shape: Shape = first.shape
    if column.__class__ is Stacked:
        return STACKED, shape
    kind = SAME
    for array in column:
        if array is not first:
            if array.shape != shape:
                return None
            kind = APART
    return kind, shape
