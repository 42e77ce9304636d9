"""Subscripts of tensors: ``x[1:, ..., tf.newaxis, i]`` as one operation."""

import operator
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor


def get_item(tensor: Tensor, item: Any) -> Tensor:
    """Return the part of `tensor` that a subscript selects.

    `item` is an integer, a slice, an ellipsis, ``tf.newaxis``, a scalar integer tensor,
    or a tuple of those; slice bounds may be scalar integer tensors too.  It raises
    ValueError if there are too many indices, an index is out of range, or a step is 0.
    """
    items = item if isinstance(item, tuple) else (item,)
    if sum(part is Ellipsis for part in items) > 1:
        raise codes.NUMPY_NOT_SUPPORTED.value_error(
            f"subscript {item!r} of {tensor.describe()} has two ellipses"
        )
    bounds: list[Tensor] = []
    key = tuple(_item(part, bounds, tensor) for part in items)
    return apply_one("StridedSlice", tensor, *bounds, key=key, name="strided_slice")


def _item(part: Any, bounds: list[Tensor], tensor: Tensor) -> tuple[Any, ...]:
    if part is Ellipsis:
        return ("ellipsis",)
    if part is None:
        return ("newaxis",)
    if isinstance(part, slice):
        limits = (part.start, part.stop, part.step)
        return ("slice", *(_limit(limit, bounds, tensor) for limit in limits))
    return ("index", _position(part, bounds, tensor))


def _limit(limit: Any, bounds: list[Tensor], tensor: Tensor) -> Any:
    return None if limit is None else _position(limit, bounds, tensor)


def _position(index: Any, bounds: list[Tensor], tensor: Tensor) -> Any:
    """Return an integer unchanged; record a tensor as an input and return its place."""
    if isinstance(index, Tensor) or hasattr(index, "_as_tensor"):
        bound = convert_to_tensor(index)
        if bound.dtype.is_integer and bound.shape.rank in (None, 0):
            bounds.append(bound)
            return ("input", len(bounds) - 1)
    elif not isinstance(index, (bool, np.bool_)):
        try:
            return operator.index(index)
        except TypeError:
            pass
    raise codes.NUMPY_NOT_SUPPORTED.type_error(
        f"the subscript {index!r} of {tensor.describe()} is not valid; expected "
        "integers, slices, an ellipsis, tf.newaxis or scalar integer tensors; use "
        "tf.gather for a list of indices and tf.boolean_mask for a mask"
    )
