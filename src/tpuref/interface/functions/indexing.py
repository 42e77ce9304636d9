"""Functions that read or write elements of tensors by position."""

import builtins
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.recognition import KnownRaggedTensor
from tpuref.engine.graph.slicing import get_item
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions import arguments

newaxis = None
"""A new axis of size 1 in a subscript."""


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Return a block of a tensor.

    The result has the same rank and dtype.  `begin` is the beginning of the block, one
    number for each axis.  `size` is the size of the block along each axis; -1 means
    everything that remains.  It raises ValueError if the block extends beyond the
    tensor.

    Examples
    --------
    >>> tf.Session().run(tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2])).tolist()
    [[2, 3], [5, 6]]
    """
    value = convert_to_tensor(input_)
    first, count = arguments.shape_tensor(begin), arguments.shape_tensor(size)
    if isinstance(size, (list, tuple)) and count.dtype != first.dtype:
        count = convert_to_tensor(size, first.dtype)
    return apply_one("Slice", value, first, count, name=name)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return every n-th element of a block of a tensor.

    The result has the same dtype.  It raises ValueError if the numbers of positions
    differ or are not static, or a stride is 0.

    `begin`, `end` and `strides` are for each of the first axes; strides are 1 by
    default.  Bit i of `begin_mask` or `end_mask` ignores ``begin[i]`` or ``end[i]``,
    and the whole axis is used on that side.  Bit i of `ellipsis_mask` lets position i
    mean all axes without another position, that of `new_axis_mask` a new axis of size
    1; that of `shrink_axis_mask` takes only the element at ``begin[i]`` and drops the
    axis.  `var` must be None.

    Examples
    --------
    >>> tf.Session().run(tf.strided_slice([1, 2, 3, 4, 5], [0], [5], [2])).tolist()
    [1, 3, 5]
    """
    if var is not None:
        raise ValueError("tf.strided_slice: var is not supported; assign to a variable")
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = (
        arguments.static_integer(mask, "tf.strided_slice: a mask") for mask in masks
    )
    starts, ends = _places(begin, "begin"), _places(end, "end")
    steps = [1] * len(starts) if strides is None else _places(strides, "strides")
    if not len(starts) == len(ends) == len(steps):
        raise ValueError(
            f"tf.strided_slice: begin, end and strides have {len(starts)}, {len(ends)} "
            f"and {len(steps)} positions; expected equal numbers"
        )
    item: list[Any] = []
    for place, (start, stop, step) in enumerate(zip(starts, ends, steps, strict=True)):
        bit = 1 << place
        if ellipsis_mask & bit:
            item.append(Ellipsis)
        elif new_axis_mask & bit:
            item.append(None)
        elif shrink_axis_mask & bit:
            item.append(start)
        else:
            first = None if begin_mask & bit else start
            item.append(builtins.slice(first, None if end_mask & bit else stop, step))
    return get_item(convert_to_tensor(input_), tuple(item))


def _places(values: Any, argument: str) -> list[Any]:
    """Return the numbers of one argument, as tensors if they are not known yet."""
    vector = arguments.shape_tensor(values)
    known = vector.operand().value
    if known is not None and known.ndim == 1:
        return [int(number) for number in known]
    if vector.shape.rank != 1 or vector.shape.as_tuple()[0] is None:
        raise ValueError(
            f"tf.strided_slice: {argument}: expected a vector of static length, got "
            f"{vector.describe()}"
        )
    return list(vector)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Return, for each row of a batch, the slices at the row's own indices.

    It is `gather` whose batch dimensions are all axes of `indices` but the last.
    `indices` is int32 or int64 with at least one axis.

    Examples
    --------
    >>> x = tf.batch_gather([[1, 2, 3], [4, 5, 6]], [[2, 0], [1, 1]])
    >>> tf.Session().run(x).tolist()
    [[3, 1], [5, 5]]
    """
    places = convert_to_tensor(indices)
    if places.shape.rank in (None, 0):
        raise ValueError(
            "tf.batch_gather: indices must have at least one axis and a known rank, "
            f"got {places.describe()}"
        )
    return gather(params, places, batch_dims=places.shape.rank - 1, name=name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """Return the slices of a tensor at the given indices along one axis.

    The result is a tensor in which the axes of `indices` replace `axis`.  `indices` is
    int32 or int64 of any shape, ``0 <= index < params.shape[axis]``.
    `validate_indices` is accepted for compatibility; indices are always checked.
    `axis` is the axis; by default the first after the batch dimensions.  `batch_dims`
    is the number of leading axes that `params` and `indices` share.  It raises
    ValueError if the axis does not exist or the batch dimensions differ, and at run
    time `tf.errors.InvalidArgumentError` if an index is out of range.

    Examples
    --------
    >>> tf.Session().run(tf.gather([[1, 2], [3, 4]], [1, 0, 1])).tolist()
    [[3, 4], [1, 2], [3, 4]]
    """
    if hasattr(type(params), "_gather_rows") and axis in (None, 0):
        rows: Tensor = params._gather_rows(indices)
        return rows
    if isinstance(indices, KnownRaggedTensor):
        chosen = gather(params, indices.values, name=name, axis=axis)
        ragged: Tensor = indices.with_values(chosen)
        return ragged
    value, places = convert_to_tensor(params), convert_to_tensor(indices)
    count = arguments.static_integer(batch_dims, "tf.gather: batch_dims")
    if count < 0 and places.shape.rank is not None:
        count += places.shape.rank
    along = count if axis is None else arguments.static_integer(axis, "tf.gather: axis")
    return apply_one("GatherV2", value, places, axis=along, batch_dims=count, name=name)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0
) -> Tensor:
    """Return the elements or slices of a tensor at the given positions.

    The result is a tensor of shape
    ``indices.shape[:-1] + params.shape[batch_dims + d:]``.  `params` and `batch_dims`
    are as for `gather`.  `indices` is int32 or int64 of shape ``[..., d]``: positions
    of d numbers each, for the first d axes after the batch dimensions.  It raises
    ValueError if d exceeds the rank, and at run time `tf.errors.InvalidArgumentError`
    if a position is out of range.

    Examples
    --------
    >>> tf.Session().run(tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]])).tolist()
    [2, 3]
    """
    value, places = convert_to_tensor(params), convert_to_tensor(indices)
    count = arguments.static_integer(batch_dims, "tf.gather_nd: batch_dims")
    return apply_one("GatherNd", value, places, batch_dims=count, name=name)


def scatter_nd(
    indices: Any, updates: Any, shape: Any, name: str | None = None
) -> Tensor:
    """Return zeros with the updates added at the given positions.

    The result is a tensor of that shape; updates at the same position add up.
    `indices` is int32 or int64 of shape ``[..., d]``: positions of d numbers each.
    `updates` holds numbers of shape ``indices.shape[:-1] + shape[d:]``.  It raises
    ValueError if the shape of `updates` does not fit, and at run time
    `tf.errors.InvalidArgumentError` if a position is out of range.

    Examples
    --------
    >>> tf.Session().run(tf.scatter_nd([[1], [3], [1]], [5, 6, 7], [4])).tolist()
    [0, 12, 0, 6]
    """
    places, values = convert_to_tensor(indices), convert_to_tensor(updates)
    sizes = arguments.shape_tensor(shape)
    result: Tensor = apply("ScatterNd", places, values, sizes, name=name)
    return arguments.refine_shape(result, sizes)


def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Return a tensor with its values at the given positions replaced.

    Errors are those of `scatter_nd`.  The result is a tensor of the same shape and
    dtype; the last update at a position wins.  `tensor` is a tensor; it does not
    change.  `indices` are int32 or int64 of shape ``[..., d]``: positions of d numbers
    each.  `updates` are the new values, of shape
    ``indices.shape[:-1] + tensor.shape[d:]``.

    Examples
    --------
    >>> update = tf.tensor_scatter_nd_update([1, 1, 1], [[2]], [9])
    >>> tf.Session().run(update).tolist()
    [1, 1, 9]
    """
    return _scatter("TensorScatterUpdate", tensor, indices, updates, name)


def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Return a tensor with updates added; see `tensor_scatter_nd_update`."""
    return _scatter("TensorScatterAdd", tensor, indices, updates, name)


def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Return a tensor with updates subtracted; see `tensor_scatter_nd_add`."""
    return _scatter("TensorScatterSub", tensor, indices, updates, name)


def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Return a tensor with the larger of its values and the updates at positions.

    Parameters, result and errors are those of `tensor_scatter_nd_update`.

    Examples
    --------
    >>> found = tf.tensor_scatter_nd_max([1, 5], [[0], [1]], [3, 3])
    >>> tf.Session().run(found).tolist()
    [3, 5]
    """
    return _scatter("TensorScatterMax", tensor, indices, updates, name)


def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Return a tensor with the smaller of its values and the updates at positions.

    Parameters, result and errors are those of `tensor_scatter_nd_update`.
    """
    return _scatter("TensorScatterMin", tensor, indices, updates, name)


def _scatter(
    op: str, tensor: Any, indices: Any, updates: Any, name: str | None
) -> Tensor:
    value, places = convert_to_tensor(tensor), convert_to_tensor(indices)
    news = convert_to_tensor(updates, dtype_hint=value.dtype)
    return apply_one(op, value, places, news, name=name)


tensor_scatter_update = tensor_scatter_nd_update
tensor_scatter_add = tensor_scatter_nd_add
tensor_scatter_sub = tensor_scatter_nd_sub


def gather_v2(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Return `gather`, with the parameters of TensorFlow 2."""
    return gather(params, indices, validate_indices, name, axis, batch_dims)


def gather_nd_v2(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Return `gather_nd`, with the parameters of TensorFlow 2."""
    _check_policy("tf.gather_nd", bad_indices_policy)
    return gather_nd(params, indices, name, batch_dims)


def scatter_nd_v2(
    indices: Any,
    updates: Any,
    shape: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Return `scatter_nd`, with the parameters of TensorFlow 2."""
    _check_policy("tf.scatter_nd", bad_indices_policy)
    return scatter_nd(indices, updates, shape, name)


def tensor_scatter_nd_add_v2(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Return `tensor_scatter_nd_add`, with the parameters of TensorFlow 2."""
    _check_policy("tf.tensor_scatter_nd_add", bad_indices_policy)
    return tensor_scatter_nd_add(tensor, indices, updates, name)


def tensor_scatter_nd_sub_v2(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Return `tensor_scatter_nd_sub`, with the parameters of TensorFlow 2."""
    _check_policy("tf.tensor_scatter_nd_sub", bad_indices_policy)
    return tensor_scatter_nd_sub(tensor, indices, updates, name)


def _check_policy(function: str, policy: str) -> None:
    """Refuse policies for bad indices that are not errors."""
    if policy not in ("", "DEFAULT", "ERROR"):
        raise codes.INDEX_OUT_OF_RANGE.value_error(
            f"{function}: bad_indices_policy: expected '', 'DEFAULT' or 'ERROR', got "
            f"{policy!r}; remove bad indices before, with tf.boolean_mask"
        )
