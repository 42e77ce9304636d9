"""The shape, size and rank of tensors."""

from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, int32
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.broadcasting import broadcast_pair


def shape(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """Return the shape of a tensor as a tensor, even if it is not static.

    The result is a vector with one size for each axis.  `out_type` is int32 or int64.

    Examples
    --------
    >>> tf.Session().run(tf.shape([[1, 2, 3]])).tolist()
    [1, 3]
    """
    known = getattr(type(input), "_dynamic_shape", None)
    if known is not None:  # a sparse or ragged tensor
        sizes: Tensor = known(input, as_dtype(out_type).name)
        return sizes
    return apply_one("Shape", input, out_type=as_dtype(out_type).name, name=name)


def size(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """Return the number of elements of a tensor; see `shape`."""
    if hasattr(type(input), "_dynamic_shape"):
        sizes = shape(input, out_type=out_type)
        return apply_one("Prod", sizes, axis=None, keepdims=False)
    return apply_one("Size", input, out_type=as_dtype(out_type).name, name=name)


def rank(input: Any, name: str | None = None) -> Tensor:
    """Return the number of axes of a tensor; the result is an int32 scalar."""
    return apply_one("Rank", input, name=name)


def shape_v2(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return `shape`, with the parameters of TensorFlow 2."""
    return shape(input, name, int32 if out_type is None else out_type)


def size_v2(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return `size`, with the parameters of TensorFlow 2."""
    return size(input, name, int32 if out_type is None else out_type)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """Return the static shape to which two shapes broadcast.

    Examples
    --------
    >>> tf.broadcast_static_shape([3, 1], [4]).as_list()
    [3, 4]
    """
    first, second = as_shape(shape_x), as_shape(shape_y)
    together = broadcast_pair(first, second)
    if together is None:
        raise codes.SHAPES_DIFFER.value_error(
            f"tf.broadcast_static_shape: {first} and {second} do not broadcast"
        )
    return together


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """Return the shape, a vector, to which two shapes broadcast."""
    parts = [convert_to_tensor(x) for x in (shape_x, shape_y)]
    if any(part.shape.rank != 1 or part.shape[0] is None for part in parts):
        raise codes.WRONG_SHAPE.value_error(
            "tf.broadcast_dynamic_shape: expected two vectors of known sizes, got "
            f"{parts[0].describe()} and {parts[1].describe()}"
        )
    ranks: list[Any] = [part.shape.as_list()[0] for part in parts]
    whole = [
        apply_one("ConcatV2", np.ones(max(ranks) - rank, part.dtype.np), part, axis=0)
        for part, rank in zip(parts, ranks, strict=True)
    ]
    one = apply_one("Equal", whole[0], np.ones((), parts[0].dtype.np))
    return apply_one("SelectV2", one, whole[1], whole[0])
