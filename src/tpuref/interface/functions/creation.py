"""Tensors created from a shape, a range or indices."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.arguments import name_or
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
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor, to_array
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions import arguments
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reshaping import broadcast_to, expand_dims


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """Return a tensor whose elements all have the same value.

    The result is a tensor of shape `dims`.  `dims` is the shape: integers, or a vector
    tensor of int32 or int64.  `value` is a scalar of any dtype; the result has its
    dtype.  It raises ValueError if `value` is not a scalar or a size is negative.

    Examples
    --------
    >>> tf.Session().run(tf.fill([2, 3], 9)).tolist()
    [[9, 9, 9], [9, 9, 9]]
    """
    sizes = arguments.shape_tensor(dims)
    result: Tensor = apply("Fill", sizes, convert_to_tensor(value), name=name)
    return arguments.refine_shape(result, sizes)


def zeros(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """Return a tensor of zeros: False for bool, empty for string.

    The shape is a list of integers, or a vector tensor of int32 or int64.

    Examples
    --------
    >>> tf.Session().run(tf.zeros([3], tf.int32)).tolist()
    [0, 0, 0]
    """
    target = as_dtype(dtype)
    shape = _vector(shape)
    zero = b"" if target == string else np.zeros((), target.np)
    return fill(shape, convert_to_tensor(zero), name_or(name, "zeros"))


def _vector(shape: Any) -> Any:
    """Return a shape; a scalar tensor is the size of a vector."""
    if isinstance(shape, Tensor) and shape.shape.rank == 0:
        return [shape]
    return shape


def ones(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """Return a tensor of ones, True for bool; TypeError for string; see `zeros`."""
    target = as_dtype(dtype)
    if target == string:
        raise TypeError("tf.ones: dtype: expected a numeric type or bool, got string")
    return fill(
        _vector(shape), convert_to_tensor(np.ones((), target.np)), name_or(name, "ones")
    )


def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Return zeros with the shape of a tensor.

    `tensor` is the tensor whose shape to use.  `dtype` is the element type; None for
    that of `tensor`.

    Examples
    --------
    >>> tf.Session().run(tf.zeros_like([[1, 2]])).tolist()
    [[0, 0]]
    """
    value = convert_to_tensor(tensor)
    if dtype is not None and as_dtype(dtype) != value.dtype:
        return zeros(shape(value), dtype, name_or(name, "zeros_like"))
    return apply_one("ZerosLike", value, name=name_or(name, "zeros_like"))


def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Return ones with the shape of a tensor; see `zeros_like`."""
    value = convert_to_tensor(tensor)
    if dtype is not None and as_dtype(dtype) != value.dtype:
        return ones(shape(value), dtype, name_or(name, "ones_like"))
    return apply_one("OnesLike", value, name=name_or(name, "ones_like"))


def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str | None = "range",
) -> Tensor:
    """Return the numbers from `start` up to, not including, `limit`.

    `start` is a scalar: the first number.  If `limit` is omitted, it is the limit, and
    0 is first.  `limit` is a scalar, the bound of the numbers.  `delta` is a scalar,
    the step; not 0.  `dtype` is the element type; None for the widest of the three
    arguments.  It raises ValueError if `delta` is 0 or has the wrong sign.

    Examples
    --------
    >>> tf.Session().run(tf.range(3, 18, 5)).tolist()
    [3, 8, 13]
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None:
        dtype = _common_dtype([start, limit, delta])
    first, last, step = (_cast_to(value, dtype) for value in (start, limit, delta))
    return apply_one("Range", first, last, step, name=name)


def _common_dtype(values: Sequence[Any]) -> DType:
    """Return the widest of the dtypes, in the order of tf.range."""
    order = [int32, int64, float32, float64]
    dtypes = [_dtype_of(value) for value in values]
    others = [dtype for dtype in dtypes if dtype not in order]
    return others[0] if others else max(dtypes, key=order.index)


def _dtype_of(value: Any) -> DType:
    own = getattr(value, "dtype", None)
    return as_dtype(to_array(value).dtype if own is None else own)


def _cast_to(value: Any, dtype: Any) -> Tensor:
    target = as_dtype(dtype)
    if not isinstance(value, Tensor) and not hasattr(value, "_as_tensor"):
        return convert_to_tensor(value, target)
    tensor = convert_to_tensor(value)
    if tensor.dtype == target:
        return tensor
    return apply_one("Cast", tensor, dtype=target.name)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None) -> Tensor:
    """Return `num` evenly spaced numbers from `start` to `stop`.

    The result is a vector of length `num`.  `start` and `stop` are floating-point
    scalars of one dtype: the first and the last number.  `num` is the number of
    elements, at least 1.  It raises TypeError if the bounds are not floating-point
    numbers of one dtype, and ValueError if `num` is below 1.

    Examples
    --------
    >>> tf.Session().run(tf.linspace(10.0, 12.0, 3)).tolist()
    [10.0, 11.0, 12.0]
    """
    first = convert_to_tensor(start)
    last = convert_to_tensor(stop)
    return apply_one("LinSpace", first, last, convert_to_tensor(num), name=name)


lin_space = linspace


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Return matrices with ones on the diagonal and zeros elsewhere.

    The result is a tensor of shape ``batch_shape + [num_rows, num_columns]``.
    `num_rows` and `num_columns` are the sizes of each matrix; by default it is square.
    `batch_shape` is the shape of a batch of such matrices; None for one matrix.

    Examples
    --------
    >>> tf.Session().run(tf.eye(2, 3)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    matrix = one_hot(range(num_rows), columns, dtype=dtype, name=name_or(name, "eye"))
    if batch_shape is None:
        return matrix
    batch = arguments.shape_tensor(batch_shape)
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

    The result is a tensor with one more axis than `indices`.  `indices` holds integers
    of any shape; those outside ``0 <= index < depth`` set nothing.  `depth` is the size
    of the new axis.  `axis` is the position of the new axis; the last by default.
    `dtype` is the element type; by default that of the values, or float32.  It raises
    TypeError if the dtypes of the values differ from each other or from `dtype`.

    Examples
    --------
    >>> tf.Session().run(tf.one_hot([1, 0], 3)).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    dtypes = [_dtype_of(value) for value in (on_value, off_value) if value is not None]
    target = as_dtype(dtype) if dtype is not None else [*dtypes, float32][0]
    return apply_one(
        "OneHot",
        convert_to_tensor(indices),
        convert_to_tensor(depth),
        _mark("on_value", on_value, 1, target),
        _mark("off_value", off_value, 0, target),
        axis=-1 if axis is None else arguments.static_integer(axis, "tf.one_hot: axis"),
        name=name_or(name, "one_hot"),
    )


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
    """Return a row for each length n whose first n elements are True.

    The result is a tensor of shape ``lengths.shape + [maxlen]``.  `lengths` holds
    integers of any shape.  `maxlen` is the length of the rows, a scalar; by default the
    greatest of `lengths`.  `dtype` is the element type of the result, by default bool.

    Examples
    --------
    >>> tf.Session().run(tf.sequence_mask([1, 3], 3, tf.int32)).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    counts = convert_to_tensor(lengths)
    if maxlen is None:
        longest = apply("Max", counts, axis=None, keepdims=False)
        maxlen = apply("Maximum", longest, np.zeros((), counts.dtype.np))
    positions = range(maxlen)
    mask: Tensor = apply(
        "Less", positions, expand_dims(_cast_to(counts, positions.dtype), -1)
    )
    target = as_dtype(dtype)
    return identity(mask, name) if target == bool_ else _cast_to(mask, target)


def zeros_like_v2(
    input: Any, dtype: Any = None, name: str | None = None, layout: None = None
) -> Tensor:
    """Return `zeros_like`, with the parameters of TensorFlow 2.

    `layout` is for DTensor, which tpuref does not have.
    """
    return zeros_like(input, dtype, name)


def ones_like_v2(
    input: Any, dtype: Any = None, name: str | None = None, layout: None = None
) -> Tensor:
    """Return `ones_like`, with the parameters of TensorFlow 2.

    `layout` is for DTensor, which tpuref does not have.
    """
    return ones_like(input, dtype, name)


def linspace_v2(
    start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0
) -> Tensor:
    """Return evenly spaced numbers from start to stop, which may be arrays.

    `start`, `stop` and `num` are as for `linspace`; start and stop may have any shapes
    that broadcast, and `num` may be 0.  `axis` is the new axis of the result, along
    which the numbers lie.

    Examples
    --------
    >>> tf.Session().run(linspace_v2([0.0, 5.0], [10.0, 9.0], 3, axis=-1)).tolist()
    [[0.0, 5.0, 10.0], [5.0, 7.0, 9.0]]
    """
    first, last = convert_operands("tf.linspace", (start, stop))
    if first.dtype.is_integer:
        first, last = _cast_to(first, float64), _cast_to(last, float64)
    none = isinstance(num, (int, np.integer)) and num == 0
    if first.shape.rank == last.shape.rank == 0 and not none:
        return linspace(first, last, num, name)
    # first + k * (last - first) / (num - 1), of which the last is `last` itself
    widened = apply("Sub", last, first)
    first = apply("AddV2", first, apply("ZerosLike", widened))
    last = apply("AddV2", first, widened)
    count = arguments.static_integer(num, "tf.linspace: num")
    steps = [
        apply("AddV2", first, apply("Mul", widened, part))
        for part in np.arange(count - 1) / max(count - 1, 1)
    ]
    place = arguments.static_integer(axis, "tf.linspace: axis")
    values = [*steps, last] if count > 1 else [first]
    result = apply_one("Pack", *values, axis=place, name=name or "linspace")
    if count:
        return result
    index = [slice(None)] * len(result.shape)
    index[place] = slice(0, 0)
    return result[tuple(index)]
