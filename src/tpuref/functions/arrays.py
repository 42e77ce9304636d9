"""Functions that make, reshape, join, split, repeat and select from whole tensors."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import (
    DType,
    as_dtype,
    bool_,
    float32,
    float64,
    int32,
    int64,
    string,
)
from tpuref.base.shapes import as_shape
from tpuref.functions.arguments import (
    refine_shape,
    shape_tensor,
    static_integer,
    static_integers,
)
from tpuref.graph.build import apply, apply_all
from tpuref.graph.convert import convert_operands, convert_to_tensor, to_array
from tpuref.graph.default import executing_eagerly
from tpuref.graph.tensor import Tensor

__all__ = [
    "boolean_mask",
    "broadcast_to",
    "concat",
    "expand_dims",
    "eye",
    "fill",
    "identity",
    "lin_space",
    "linspace",
    "matrix_band_part",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_transpose",
    "meshgrid",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "placeholder",
    "range",
    "rank",
    "repeat",
    "reshape",
    "reverse",
    "roll",
    "sequence_mask",
    "shape",
    "size",
    "split",
    "squeeze",
    "stack",
    "stop_gradient",
    "tile",
    "transpose",
    "unstack",
    "where",
    "where_v2",
    "zeros",
    "zeros_like",
]

# -- sources, and passing on -------------------------------------------------------


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """Return a tensor whose value is given with each ``Session.run``.

    Parameters
    ----------
    dtype
        The element type.
    shape
        The static shape; None, or None as a dimension, where it may be any.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor that has to be a key of ``feed_dict`` where it is needed.

    Raises
    ------
    RuntimeError
        In eager mode, where there is nothing to feed.

    Examples
    --------
    >>> import tpuref as tf
    >>> x = tf.placeholder(tf.float32, [None])
    >>> tf.Session().run(x + 1.0, {x: [1.0, 2.0]}).tolist()
    [2.0, 3.0]
    """
    if executing_eagerly():
        raise RuntimeError(
            "tf.placeholder: eager mode has nothing to feed; pass the value itself, or "
            "build in tf.Graph().as_default()"
        )
    static = as_shape(shape)
    sizes = None if static.rank is None else static.as_tuple()
    result: Tensor = apply(
        "Placeholder", dtype=as_dtype(dtype).name, shape=sizes, name=name
    )
    return result


def identity(input: Any, name: str | None = None) -> Tensor:
    """Return a tensor with the same value as `input`.

    Parameters
    ----------
    input
        A tensor of any shape and dtype.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of its own, made by a new operation.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.identity([1, 2])).tolist()
    [1, 2]
    """
    result: Tensor = apply("Identity", input, name=name)
    return result


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """Return the value of `input`, which gradients take for a constant.

    Parameters
    ----------
    input
        A tensor of any shape and dtype.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        The same value.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.stop_gradient([1, 2])).tolist()
    [1, 2]
    """
    result: Tensor = apply("StopGradient", input, name=name)
    return result


# -- making ------------------------------------------------------------------------


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """Return a tensor in which every element has one value.

    Parameters
    ----------
    dims
        The shape: integers, or a vector tensor of int32 or int64.
    value
        A scalar of any dtype, which becomes that of the result.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of shape `dims`.

    Raises
    ------
    ValueError
        If `value` is no scalar or a size is negative.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.fill([2, 3], 9)).tolist()
    [[9, 9, 9], [9, 9, 9]]
    """
    sizes = shape_tensor(dims)
    result: Tensor = apply("Fill", sizes, convert_to_tensor(value), name=name)
    return refine_shape(result, sizes)


def zeros(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """Return a tensor of zeros: False for bool, empty for string.

    Parameters
    ----------
    shape
        The shape: integers, or a vector tensor of int32 or int64.
    dtype
        The element type.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the given shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.zeros([3], tf.int32)).tolist()
    [0, 0, 0]
    """
    target = as_dtype(dtype)
    zero = b"" if target == string else np.zeros((), target.np)
    return fill(shape, convert_to_tensor(zero), name or "zeros")


def ones(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """Return a tensor of ones: True for bool.

    Parameters
    ----------
    shape
        The shape: integers, or a vector tensor of int32 or int64.
    dtype
        The element type, a number or bool.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the given shape and dtype.

    Raises
    ------
    TypeError
        If the dtype is string.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.ones([2, 2])).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    target = as_dtype(dtype)
    if target == string:
        raise TypeError("tf.ones: dtype: text has no one; expected a number or bool")
    return fill(shape, convert_to_tensor(np.ones((), target.np)), name or "ones")


def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Return zeros in the shape of a tensor.

    Parameters
    ----------
    tensor
        The tensor whose shape is taken.
    dtype
        The element type; None for that of `tensor`.
    name
        The name of the operation.
    optimize
        Accepted for compatibility; it changes nothing.

    Returns
    -------
    Tensor
        A tensor of zeros.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.zeros_like([[1, 2]])).tolist()
    [[0, 0]]
    """
    value = convert_to_tensor(tensor)
    if dtype is not None and as_dtype(dtype) != value.dtype:
        return zeros(shape(value), dtype, name or "zeros_like")
    result: Tensor = apply("ZerosLike", value, name=name or "zeros_like")
    return result


def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Return ones in the shape of a tensor.

    Parameters
    ----------
    tensor
        The tensor whose shape is taken.
    dtype
        The element type; None for that of `tensor`.
    name
        The name of the operation.
    optimize
        Accepted for compatibility; it changes nothing.

    Returns
    -------
    Tensor
        A tensor of ones.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.ones_like([[5, 7]])).tolist()
    [[1, 1]]
    """
    value = convert_to_tensor(tensor)
    if dtype is not None and as_dtype(dtype) != value.dtype:
        return ones(shape(value), dtype, name or "ones_like")
    result: Tensor = apply("OnesLike", value, name=name or "ones_like")
    return result


def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str | None = "range",
) -> Tensor:
    """Return the numbers from `start` up to, not including, `limit`.

    Parameters
    ----------
    start
        A scalar: the first number; the limit if no limit is given, and then 0 is first.
    limit
        A scalar that bounds the numbers.
    delta
        A scalar, the distance from one to the next; not 0.
    dtype
        The element type; None for the one that holds all three arguments.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A vector.

    Raises
    ------
    ValueError
        If `delta` is 0 or leads away from `limit`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.range(3, 18, 5)).tolist()
    [3, 8, 13]
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None:
        dtype = _common_dtype([start, limit, delta])
    first, last, step = (_cast_to(value, dtype) for value in (start, limit, delta))
    result: Tensor = apply("Range", first, last, step, name=name)
    return result


def _common_dtype(values: Sequence[Any]) -> DType:
    """Return the widest of the dtypes, in the order that tf.range has them."""
    order = [int32, int64, float32, float64]
    found = [_dtype_of(value) for value in values]
    others = [dtype for dtype in found if dtype not in order]
    return others[0] if others else max(found, key=order.index)


def _dtype_of(value: Any) -> DType:
    given = getattr(value, "dtype", None)
    return as_dtype(to_array(value).dtype if given is None else given)


def _cast_to(value: Any, dtype: Any) -> Tensor:
    target = as_dtype(dtype)
    if not isinstance(value, Tensor) and not hasattr(value, "_as_tensor"):
        return convert_to_tensor(value, target)
    tensor = convert_to_tensor(value)
    if tensor.dtype == target:
        return tensor
    result: Tensor = apply("Cast", tensor, dtype=target.name)
    return result


def linspace(start: Any, stop: Any, num: Any, name: str | None = None) -> Tensor:
    """Return `num` numbers at equal distances from `start` to `stop`.

    Parameters
    ----------
    start, stop
        Floating-point scalars of one dtype: the first and the last number.
    num
        How many numbers, 1 or more.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A vector of length `num`.

    Raises
    ------
    TypeError
        If the bounds are no floating-point numbers of one dtype.
    ValueError
        If `num` is below 1.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.linspace(10.0, 12.0, 3)).tolist()
    [10.0, 11.0, 12.0]
    """
    first = convert_to_tensor(start)
    last = convert_to_tensor(stop)
    count = convert_to_tensor(num)
    result: Tensor = apply("LinSpace", first, last, count, name=name)
    return result


lin_space = linspace


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Return matrices with ones on the diagonal and zeros elsewhere.

    Parameters
    ----------
    num_rows, num_columns
        The sizes of each matrix; without `num_columns` it is square.
    batch_shape
        The shape of a collection of such matrices; None for one matrix.
    dtype
        The element type.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of shape ``batch_shape + [num_rows, num_columns]``.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.eye(2, 3)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    matrix = one_hot(range(num_rows), columns, dtype=dtype, name=name or "eye")
    if batch_shape is None:
        return matrix
    batch = shape_tensor(batch_shape)
    return broadcast_to(
        matrix, concat([batch, _cast_to(shape(matrix), batch.dtype)], 0)
    )


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return a new axis for each index, with one element set at the index.

    Parameters
    ----------
    indices
        Integers of any shape; those outside of ``0 <= index < depth`` set nothing.
    depth
        The size of the new axis.
    on_value, off_value
        Scalars, by default 1 and 0.
    axis
        Where the new axis goes; the last by default.
    dtype
        The element type, by default that of the values, or float32.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of one rank more than `indices`.

    Raises
    ------
    TypeError
        If the values have different dtypes or not the one asked for.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.one_hot([1, 0], 3)).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    given = [_dtype_of(value) for value in (on_value, off_value) if value is not None]
    target = as_dtype(dtype) if dtype is not None else [*given, float32][0]
    result: Tensor = apply(
        "OneHot",
        convert_to_tensor(indices),
        convert_to_tensor(depth),
        _mark("on_value", on_value, 1, target),
        _mark("off_value", off_value, 0, target),
        axis=-1 if axis is None else static_integer(axis, "tf.one_hot: axis"),
        name=name or "one_hot",
    )
    return result


def _mark(name: str, value: Any, default: int, dtype: DType) -> Tensor:
    if value is None:
        return convert_to_tensor(np.asarray(default).astype(dtype.np))
    if isinstance(value, Tensor) and value.dtype != dtype:
        raise TypeError(
            f"tf.one_hot: {name}: expected {dtype.name}, got {value.describe()}; use "
            "tf.cast"
        )
    return convert_to_tensor(value, dtype)


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None
) -> Tensor:
    """Return, for each length n, a row whose first n elements are True.

    Parameters
    ----------
    lengths
        Integers of any shape.
    maxlen
        The length of the rows, a scalar; by default the greatest of `lengths`.
    dtype
        The element type of the result, by default bool.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of shape ``lengths.shape + [maxlen]``.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.sequence_mask([1, 3], 3, tf.int32)).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    counts = convert_to_tensor(lengths)
    if maxlen is None:
        longest = apply("Max", counts, axis=None, keepdims=False)
        maxlen = apply("Maximum", longest, np.zeros((), counts.dtype.np))
    positions = range(_cast_to(maxlen, counts.dtype), dtype=counts.dtype)
    mask: Tensor = apply("Less", positions, expand_dims(counts, -1))
    target = as_dtype(dtype)
    return identity(mask, name) if target == bool_ else _cast_to(mask, target)


# -- asking ------------------------------------------------------------------------


def shape(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """Return the shape of a tensor as a tensor, true also where it is not static.

    Parameters
    ----------
    input
        A tensor.
    name
        The name of the operation.
    out_type
        int32 or int64.

    Returns
    -------
    Tensor
        A vector with one size for each axis.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.shape([[1, 2, 3]])).tolist()
    [1, 3]
    """
    result: Tensor = apply("Shape", input, out_type=as_dtype(out_type).name, name=name)
    return result


def size(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """Return the number of elements of a tensor.

    Parameters
    ----------
    input
        A tensor.
    name
        The name of the operation.
    out_type
        int32 or int64.

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> import tpuref as tf
    >>> int(tf.Session().run(tf.size([[1, 2, 3]])))
    3
    """
    result: Tensor = apply("Size", input, out_type=as_dtype(out_type).name, name=name)
    return result


def rank(input: Any, name: str | None = None) -> Tensor:
    """Return the number of axes of a tensor.

    Parameters
    ----------
    input
        A tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        An int32 scalar.

    Examples
    --------
    >>> import tpuref as tf
    >>> int(tf.Session().run(tf.rank([[1, 2, 3]])))
    2
    """
    result: Tensor = apply("Rank", input, name=name)
    return result


# -- reshaping ---------------------------------------------------------------------


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return the elements of a tensor, in the same order, in another shape.

    Parameters
    ----------
    tensor
        A tensor.
    shape
        The new shape; one size may be -1, which stands for what remains.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the new shape and the same dtype.

    Raises
    ------
    ValueError
        If the number of elements differs.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reshape([1, 2, 3, 4], [2, -1])).tolist()
    [[1, 2], [3, 4]]
    """
    value = convert_to_tensor(tensor)
    sizes = shape_tensor(shape)
    result: Tensor = apply("Reshape", value, sizes, name=name)
    return refine_shape(result, sizes)


def expand_dims(
    input: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Return a tensor with an axis of size 1 inserted.

    Parameters
    ----------
    input
        A tensor.
    axis
        Where the new axis goes; negative counts from the end.
    name
        The name of the operation.
    dim
        The old name of `axis`.

    Returns
    -------
    Tensor
        A tensor of one rank more.

    Raises
    ------
    ValueError
        If there is no axis, two, or one that is out of range.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.expand_dims([1, 2], -1).shape.as_list()
    [2, 1]
    """
    axis = _either("tf.expand_dims", axis=axis, dim=dim)
    if axis is None:
        raise ValueError("tf.expand_dims: axis is missing; expected an integer")
    place = static_integer(axis, "tf.expand_dims: axis")
    result: Tensor = apply("ExpandDims", input, axis=place, name=name)
    return result


def _either(function: str, **names: Any) -> Any:
    """Return the one argument that is given under its new or its old name."""
    given = {name: value for name, value in names.items() if value is not None}
    if len(given) > 1:
        raise ValueError(f"{function}: {' and '.join(given)} are the same; give one")
    return next(iter(given.values()), None)


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """Return a tensor without axes of size 1.

    Parameters
    ----------
    input
        A tensor.
    axis
        One or several axes of size 1; by default all of them.
    name
        The name of the operation.
    squeeze_dims
        The old name of `axis`.

    Returns
    -------
    Tensor
        A tensor of lower rank with the same elements.

    Raises
    ------
    ValueError
        If an axis has another size.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.squeeze([[[1], [2]]], axis=0).shape.as_list()
    [2, 1]
    """
    axis = _either("tf.squeeze", axis=axis, squeeze_dims=squeeze_dims)
    axes = () if axis is None else static_integers(axis, "tf.squeeze: axis")
    result: Tensor = apply("Squeeze", input, axes=axes, name=name)
    return result


def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Tensor:
    """Return a tensor with its axes in another order.

    Parameters
    ----------
    a
        A tensor.
    perm
        For each axis of the result, the axis of `a`; by default the reverse order.
    name
        The name of the operation.
    conjugate
        Whether to take the complex conjugate too.

    Returns
    -------
    Tensor
        A tensor of the same dtype.

    Raises
    ------
    ValueError
        If `perm` is no permutation of the axes.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.transpose([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    value = convert_to_tensor(a)
    order = None if perm is None else static_integers(perm, "tf.transpose: perm")
    if conjugate and value.dtype.is_complex:
        value = apply("Conj", value)
    result: Tensor = apply("Transpose", value, perm=order, name=name)
    return result


def matrix_transpose(
    a: Any, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Return a tensor with its last two axes exchanged.

    Parameters
    ----------
    a
        A tensor of known rank, 2 or more.
    name
        The name of the operation.
    conjugate
        Whether to take the complex conjugate too.

    Returns
    -------
    Tensor
        A tensor of the same dtype.

    Raises
    ------
    ValueError
        If the rank is below 2 or not known.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.matrix_transpose([[[1, 2, 3]]]).shape.as_list()
    [1, 3, 1]
    """
    value = convert_to_tensor(a)
    if value.shape.rank is None or value.shape.rank < 2:
        raise ValueError(
            "tf.matrix_transpose: expected a known rank of 2 or more, got "
            f"{value.describe()}"
        )
    axes = list(builtins.range(value.shape.rank))
    return transpose(value, [*axes[:-2], axes[-1], axes[-2]], name, conjugate)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return a tensor with the order along some axes reversed.

    Parameters
    ----------
    tensor
        A tensor.
    axis
        One or several axes.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Raises
    ------
    ValueError
        If there is no such axis, or one is given twice.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reverse([[1, 2], [3, 4]], [0])).tolist()
    [[3, 4], [1, 2]]
    """
    axes = static_integers(axis, "tf.reverse: axis")
    result: Tensor = apply("ReverseV2", tensor, axes=axes, name=name)
    return result


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return a tensor moved along some axes; what leaves one end enters at the other.

    Parameters
    ----------
    input
        A tensor.
    shift
        By how many places, one number for each axis.
    axis
        One or several axes.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.roll([0, 1, 2, 3, 4], 2, 0)).tolist()
    [3, 4, 0, 1, 2]
    """
    axes = static_integers(axis, "tf.roll: axis")
    places = convert_to_tensor(shift)
    if places.shape.rank == 0:
        places = expand_dims(places, 0)
    value = convert_to_tensor(input)
    result: Tensor = apply("Roll", value, places, axes=axes, name=name)
    return result


# -- joining and splitting ---------------------------------------------------------


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Join tensors of one shape along a new axis.

    Parameters
    ----------
    values
        A list of tensors of equal shape and dtype.
    axis
        Where the new axis goes.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of one rank more.

    Raises
    ------
    ValueError
        If shapes differ.
    TypeError
        If dtypes differ.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.stack([[1, 4], [2, 5]], axis=1)).tolist()
    [[1, 2], [4, 5]]
    """
    place = static_integer(axis, "tf.stack: axis")
    if place == 0 and _plain(values):
        return convert_to_tensor(values, name=name)
    result: Tensor = apply("Pack", *values, axis=place, name=name)
    return result


def _plain(value: Any) -> bool:
    """Whether a list holds Python's own values only, so that it has one dtype."""
    if isinstance(value, (list, tuple)):
        return all(_plain(item) for item in value)
    return isinstance(value, (bool, int, float, complex, str, bytes))


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """Return the parts of a tensor along an axis, without that axis.

    Parameters
    ----------
    value
        A tensor of rank 1 or more.
    num
        The size of the axis; needed where it is not static.
    axis
        The axis.
    name
        The name of the operation.

    Returns
    -------
    list of Tensor
        One tensor for each index.

    Raises
    ------
    ValueError
        If the size is not known, or not `num`.

    Examples
    --------
    >>> import tpuref as tf
    >>> rows = tf.unstack([[1, 2], [3, 4]])
    >>> [row.tolist() for row in tf.Session().run(rows)]
    [[1, 2], [3, 4]]
    """
    tensor = convert_to_tensor(value)
    place = static_integer(axis, "tf.unstack: axis")
    if num is None:
        num = _static_size(tensor, place, "tf.unstack", "give num")
    return apply_all("Unpack", tensor, axis=place, num=num, name=name)


def _static_size(tensor: Tensor, axis: int, function: str, way_out: str) -> int:
    rank = tensor.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"{function}: {tensor.describe()} has no axis {axis}")
    length = None if rank is None else tensor.shape.as_tuple()[axis]
    if length is None:
        raise ValueError(
            f"{function}: the size of axis {axis} of {tensor.describe()} is not known; "
            + way_out
        )
    return length


def concat(values: Any, axis: Any, name: str | None = "concat") -> Tensor:
    """Join tensors along an axis that they have.

    Parameters
    ----------
    values
        A list of tensors of equal dtype and rank, whose other sizes are equal.
    axis
        The axis.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same rank.

    Raises
    ------
    ValueError
        If the list is empty, or ranks or other sizes differ.
    TypeError
        If dtypes differ.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.concat([[[1, 2]], [[3, 4]]], 0)).tolist()
    [[1, 2], [3, 4]]
    """
    if isinstance(values, Tensor):
        values = [values]
    place = static_integer(axis, "tf.concat: axis")
    result: Tensor = apply("ConcatV2", *values, axis=place, name=name)
    return result


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """Split a tensor along an axis.

    Parameters
    ----------
    value
        A tensor of rank 1 or more.
    num_or_size_splits
        The number of equal parts, or a list with the size of each part; one of them
        may be -1, which stands for what remains.
    axis
        The axis.
    num
        The number of parts, where their sizes are given by a tensor.
    name
        The name of the operation.

    Returns
    -------
    list of Tensor
        The parts.

    Raises
    ------
    ValueError
        If the parts do not make up the axis.

    Examples
    --------
    >>> import tpuref as tf
    >>> parts = tf.split([1, 2, 3, 4, 5], [2, 3])
    >>> [part.tolist() for part in tf.Session().run(parts)]
    [[1, 2], [3, 4, 5]]
    """
    tensor = convert_to_tensor(value)
    place = static_integer(axis, "tf.split: axis")
    sizes = _split_sizes(tensor, num_or_size_splits, place)
    if num is not None and num != len(sizes):
        raise ValueError(f"tf.split: num is {num}, but there are {len(sizes)} sizes")
    return apply_all("Split", tensor, axis=place, sizes=sizes, name=name)


def _split_sizes(tensor: Tensor, wanted: Any, axis: int) -> tuple[int | None, ...]:
    what = "tf.split: num_or_size_splits"
    if _is_scalar(wanted):
        count = static_integer(wanted, what)
        if count < 1:
            raise ValueError(f"{what}: expected 1 part or more, got {count}")
        return (None,) * count
    sizes = static_integers(wanted, what)
    if min(sizes, default=-2) < -1 or sizes.count(-1) > 1:
        raise ValueError(
            f"{what}: expected sizes of 0 or more, one of them perhaps -1, got "
            f"{list(sizes)}"
        )
    if -1 not in sizes:
        return sizes
    length = _static_size(tensor, axis, "tf.split", "give the size of every part")
    rest = length - (sum(sizes) + 1)
    if rest < 0:
        raise ValueError(f"{what}: {list(sizes)} take more than the size {length}")
    return tuple(rest if size == -1 else size for size in sizes)


def _is_scalar(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.shape.rank == 0
    return not isinstance(value, (list, tuple)) and np.ndim(value) == 0


# -- repeating and padding ---------------------------------------------------------


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Return a tensor repeated as a whole along its axes.

    Parameters
    ----------
    input
        A tensor.
    multiples
        How often, one number for each axis.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same rank and dtype.

    Raises
    ------
    ValueError
        If the number of `multiples` is not the rank.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.tile([[1, 2]], [2, 2])).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    value = convert_to_tensor(input)
    result: Tensor = apply("Tile", value, shape_tensor(multiples), name=name)
    return result


def repeat(
    input: Any, repeats: Any, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor in which each element of an axis is repeated.

    Parameters
    ----------
    input
        A tensor.
    repeats
        How often: one number, or one for each element of the axis.
    axis
        The axis; by default the tensor is flattened.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same rank and dtype, or a vector.

    Raises
    ------
    ValueError
        If the number of `repeats` is neither 1 nor the size of the axis.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.repeat([3, 0, 2], [2, 0, 1])).tolist()
    [3, 3, 2]
    """
    value = convert_to_tensor(input)
    if axis is None:
        value, axis = reshape(value, [-1]), 0
    place = static_integer(axis, "tf.repeat: axis")
    counts = convert_to_tensor(repeats)
    result: Tensor = apply("Repeat", value, counts, axis=place, name=name)
    return result


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return a tensor stretched to a shape by NumPy's broadcasting.

    Parameters
    ----------
    input
        A tensor.
    shape
        The shape of the result.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the given shape and the same dtype.

    Raises
    ------
    ValueError
        If the tensor does not broadcast to that shape.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.broadcast_to([1, 2], [2, 2])).tolist()
    [[1, 2], [1, 2]]
    """
    value = convert_to_tensor(input)
    sizes = shape_tensor(shape)
    result: Tensor = apply("BroadcastTo", value, sizes, name=name)
    return refine_shape(result, sizes)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """Return a tensor with elements added before and after each axis.

    Parameters
    ----------
    tensor
        A tensor.
    paddings
        For each axis a pair: how many before, how many after.
    mode
        ``"CONSTANT"``; ``"REFLECT"``, which mirrors at the edge element; or
        ``"SYMMETRIC"``, which mirrors behind it.  Case does not matter.
    name
        The name of the operation.
    constant_values
        The scalar that ``"CONSTANT"`` adds.

    Returns
    -------
    Tensor
        A tensor of the same rank and dtype.

    Raises
    ------
    ValueError
        If the mode is unknown, or `paddings` has no pair for each axis or more
        than a mirror holds.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.pad([1, 2, 3], [[1, 2]])).tolist()
    [0, 1, 2, 3, 0, 0]
    >>> tf.Session().run(tf.pad([1, 2, 3], [[1, 2]], "REFLECT")).tolist()
    [2, 1, 2, 3, 2, 1]
    """
    value = convert_to_tensor(tensor)
    pairs = convert_to_tensor(paddings)
    kind = mode.upper()
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            f"tf.pad: mode: expected 'CONSTANT', 'REFLECT' or 'SYMMETRIC', got {mode!r}"
        )
    if kind == "CONSTANT":
        result: Tensor = apply(
            "PadV2", value, pairs, _filler(constant_values, value), name=name
        )
    else:
        result = apply("MirrorPad", value, pairs, mode=kind, name=name)
    return result


def _filler(constant_values: Any, value: Tensor) -> Tensor:
    if isinstance(constant_values, (int, float)) and constant_values == 0:
        return zeros([], value.dtype)
    return convert_to_tensor(constant_values, dtype_hint=value.dtype)


# -- diagonals ---------------------------------------------------------------------


def matrix_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Return square matrices with the given diagonals and zeros elsewhere.

    Parameters
    ----------
    diagonal
        A tensor of shape ``[..., n]``.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of shape ``[..., n, n]``.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.matrix_diag([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    result: Tensor = apply("MatrixDiag", diagonal, name=name)
    return result


def matrix_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Return the diagonals of matrices.

    Parameters
    ----------
    input
        A tensor of shape ``[..., m, n]``.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of shape ``[..., min(m, n)]``.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.matrix_diag_part([[1, 2, 3], [4, 5, 6]])).tolist()
    [1, 5]
    """
    result: Tensor = apply("MatrixDiagPart", input, name=name)
    return result


def matrix_band_part(
    input: Any, num_lower: Any, num_upper: Any, name: str | None = None
) -> Tensor:
    """Return matrices with all but a band around the diagonal set to zero.

    Parameters
    ----------
    input
        A tensor of shape ``[..., m, n]``.
    num_lower, num_upper
        How many diagonals to keep below and above the main one; all where negative.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.matrix_band_part([[1, 2], [3, 4]], 0, -1)).tolist()
    [[1, 2], [0, 4]]
    """
    value = convert_to_tensor(input)
    lower, upper = convert_to_tensor(num_lower), convert_to_tensor(num_upper)
    result: Tensor = apply("MatrixBandPart", value, lower, upper, name=name)
    return result


# -- selecting ---------------------------------------------------------------------


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """Choose from `x` where a condition is true and from `y` elsewhere.

    Parameters
    ----------
    condition
        A bool tensor: of the shape of `x`, a vector that chooses whole rows of `x`,
        or of any shape that broadcasts with `x` and `y`.
    x, y
        Tensors of one dtype.  Without both, the positions of true elements are found.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        The chosen elements; or positions as int64 of shape ``[found, rank]``.

    Raises
    ------
    ValueError
        If only one of `x` and `y` is given, or shapes do not fit.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.where([True, False], [1, 2], [3, 4])).tolist()
    [1, 4]
    >>> tf.Session().run(tf.where([True, False, True])).tolist()
    [[0], [2]]
    """
    test, x, y = _where_operands("tf.where", condition, x, y)
    if x is None or y is None:
        return _positions(test, name)
    rows = test.shape.rank == 1 and (x.shape.rank or 0) > 1
    if rows and x.shape.is_compatible_with(y.shape):
        result: Tensor = apply("Select", test, x, y, name=name)
    else:
        result = apply("SelectV2", test, x, y, name=name)
    return result


def where_v2(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """Choose as `where` does; all three arguments always broadcast.

    Parameters
    ----------
    condition
        A bool tensor.
    x, y
        Tensors of one dtype.  Without both, the positions of true elements are found.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        The chosen elements; or positions as int64 of shape ``[found, rank]``.

    Raises
    ------
    ValueError
        If only one of `x` and `y` is given, or shapes do not broadcast.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.where_v2([[True], [False]], [1, 2], 0)).tolist()
    [[1, 2], [0, 0]]
    """
    test, x, y = _where_operands("tf.where_v2", condition, x, y)
    if x is None or y is None:
        return _positions(test, name)
    result: Tensor = apply("SelectV2", test, x, y, name=name)
    return result


def _where_operands(
    function: str, condition: Any, x: Any, y: Any
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    if (x is None) != (y is None):
        missing = "x" if x is None else "y"
        raise ValueError(f"{function}: {missing} is missing; give both x and y or none")
    if x is None:
        return convert_to_tensor(condition), None, None
    first, second = convert_operands(function, [x, y])
    return convert_to_tensor(condition, dtype_hint=bool_), first, second


def _positions(condition: Tensor, name: str | None) -> Tensor:
    result: Tensor = apply("Where", condition, name=name)
    return result


def boolean_mask(
    tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None
) -> Tensor:
    """Return the parts of a tensor at which a mask is true.

    Parameters
    ----------
    tensor
        A tensor.
    mask
        A bool tensor of known rank, whose shape is part of that of `tensor`.
    name
        The name of the operation.
    axis
        The axis of `tensor` at which the mask begins, 0 by default.

    Returns
    -------
    Tensor
        The chosen parts; the axes of the mask have become one, of unknown size.

    Raises
    ------
    ValueError
        If the mask is a scalar, of unknown rank, or does not fit.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.boolean_mask([5, 6, 7], [True, False, True])).tolist()
    [5, 7]
    """
    value, chosen = convert_to_tensor(tensor), convert_to_tensor(mask, bool_)
    begin = 0 if axis is None else static_integer(axis, "tf.boolean_mask: axis")
    depth, outer = chosen.shape.rank, value.shape.rank
    if not depth or outer is None:
        raise ValueError(
            "tf.boolean_mask: expected a tensor of known rank and a mask of known rank "
            f"of 1 or more, got {value.describe()} and {chosen.describe()}"
        )
    begin = begin + outer if begin < 0 else begin
    masked = value.shape[begin : begin + depth]
    if not masked.is_compatible_with(chosen.shape):
        raise ValueError(
            f"tf.boolean_mask: the mask {chosen.describe()} does not fit the axes from "
            f"{begin} on of {value.describe()}"
        )
    if depth > 1:
        value = _joined_axes(value, begin, depth)
    places = squeeze(where(reshape(chosen, [-1])), [1])
    result: Tensor = apply(
        "GatherV2", value, places, axis=begin, batch_dims=0, name=name
    )
    return result


def _joined_axes(value: Tensor, begin: int, depth: int) -> Tensor:
    sizes = shape(value)
    return reshape(value, concat([sizes[:begin], [-1], sizes[begin + depth :]], 0))


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Return the coordinates of a grid, one tensor for each of its axes.

    Parameters
    ----------
    args
        Vectors, or scalars, of one dtype.
    kwargs
        ``indexing``: ``"xy"`` (the default) lets the second vector run along axis 0,
        ``"ij"`` the first.  ``name`` is accepted too.

    Returns
    -------
    list of Tensor
        As many tensors as vectors, each of the shape of the grid.

    Raises
    ------
    ValueError
        If ``indexing`` is neither.
    TypeError
        If another keyword is given.

    Examples
    --------
    >>> import tpuref as tf
    >>> x, y = tf.Session().run(tf.meshgrid([1, 2], [3, 4]))
    >>> x.tolist(), y.tolist()
    ([[1, 2], [1, 2]], [[3, 3], [4, 4]])
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"tf.meshgrid: unexpected keywords {sorted(kwargs)}")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"tf.meshgrid: indexing: expected 'xy' or 'ij', got {indexing!r}"
        )
    vectors = [reshape(vector, [-1]) for vector in args]
    order = list(builtins.range(len(vectors)))
    if indexing == "xy":
        order[:2] = order[1::-1]
    grid = stack([size(vectors[axis]) for axis in order]) if vectors else None
    return [
        broadcast_to(_along(vector, order.index(k), len(order)), grid)
        for k, vector in enumerate(vectors)
    ]


def _along(vector: Tensor, axis: int, rank: int) -> Tensor:
    return reshape(vector, [1] * axis + [-1] + [1] * (rank - axis - 1))
