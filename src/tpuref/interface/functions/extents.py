"""The shape, size and rank of tensors."""

from __future__ import annotations

from typing import Any

from tpuref.base.dtypes import as_dtype, int32
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def shape(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """Return the shape of a tensor as a tensor, even if it is not static.

    The result is a vector with one size for each axis.  `out_type` is int32 or int64.

    Examples
    --------
    >>> tf.Session().run(tf.shape([[1, 2, 3]])).tolist()
    [1, 3]
    """
    return apply_one("Shape", input, out_type=as_dtype(out_type).name, name=name)


def size(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """Return the number of elements of a tensor; see `shape`.

    Examples
    --------
    >>> int(tf.Session().run(tf.size([[1, 2, 3]])))
    3
    """
    return apply_one("Size", input, out_type=as_dtype(out_type).name, name=name)


def rank(input: Any, name: str | None = None) -> Tensor:
    """Return the number of axes of a tensor; the result is an int32 scalar.

    Examples
    --------
    >>> int(tf.Session().run(tf.rank([[1, 2, 3]])))
    2
    """
    return apply_one("Rank", input, name=name)


def shape_v2(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return `shape`, with the parameters of TensorFlow 2."""
    return shape(input, name, int32 if out_type is None else out_type)


def size_v2(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return `size`, with the parameters of TensorFlow 2."""
    return size(input, name, int32 if out_type is None else out_type)
