"""Dimensions as numbers."""

from __future__ import annotations

from tpuref.base.shapes import Dimension


def dimension_value(dimension: Dimension | int | None) -> int | None:
    """Return the size of a dimension, None if it is unknown.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.compat.dimension_value(tf.TensorShape([None, 3])[1])
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension
