"""Batching over cores: the arrays of several cores with the cores as first axis.

A rule `stacked` does for such arrays what the operation does for the array of each
core, bit for bit.  A constant, which all cores share, is passed without that axis.  The
result is reshaped by the caller.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array, Meaning

Stacking = Callable[..., Any]
"""``stacked(*arrays, **attrs)``, the same for all cores at once."""


def behind(axis: int) -> int:
    """Return the position of an axis after one is inserted in front.

    >>> behind(0), behind(-1)
    (1, -1)
    """
    return axis + 1 if axis >= 0 else axis


def reducing(meaning: Meaning) -> Stacking:
    """Return the rule of an operation that reduces an array along some axes."""

    def stacked(x: Array, *, axis: int | Sequence[int] | None, **attrs: Any) -> Any:
        if axis is None:
            return meaning(np, x, axis=tuple(range(1, x.ndim)), **attrs)
        axes = [axis] if isinstance(axis, int) else axis
        return meaning(np, x, axis=tuple(map(behind, axes)), **attrs)

    return stacked


def along(meaning: Meaning) -> Stacking:
    """Return the rule of an operation along one axis, or over a flat array."""

    def stacked(x: Array, *others: Array, axis: int | None, **attrs: Any) -> Any:
        if axis is None:
            x, axis = x.reshape(len(x), -1), -1
        else:
            axis = behind(axis)
        return meaning(np, x, *others, axis=axis, **attrs)

    return stacked
