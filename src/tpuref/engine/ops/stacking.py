"""The arrays of several cores as one, with an axis in front that counts the cores.

A rule `stacked` does for such arrays what an operation does for the array of each
core, with the same bits.  A constant, which all cores share, is given as it is.  What a
rule returns is reshaped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array, Meaning

Stacking = Callable[..., Any]
"""``stacked(*arrays, **attrs)``, the same for all cores at once."""


def behind(axis: int) -> int:
    """Return where an axis is when there is one more in front.

    Examples
    --------
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
