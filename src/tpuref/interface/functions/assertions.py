"""Operations that fail unless a condition on their tensors holds."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base.arguments import listed, name_or
from tpuref.base.dtypes import bool_
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.engine.graph import build
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.functions.comparison import (
    equal,
    greater,
    greater_equal,
    is_finite,
    less,
    less_equal,
)
from tpuref.interface.functions.creation import zeros_like
from tpuref.interface.functions.extents import rank as rank_of
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.reductions import reduce_all
from tpuref.interface.functions.scopes import control_dependencies


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """Return a tensor, which fails with a message if elements are infinite or NaN.

    Examples
    --------
    >>> tf.Session().run(tf.debugging.check_numerics([1.0, 2.0], "the loss")).tolist()
    [1.0, 2.0]
    """
    value = convert_to_tensor(tensor)
    fault = [f"{message} : Tensor had Inf or NaN values", value]
    with control_dependencies([Assert(reduce_all(is_finite(value)), fault)]):
        return identity(value, name)


def assert_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Return an operation that fails unless all elements of `x` and `y` are equal.

    It is None in eager mode.  `x` and `y` are tensors of one dtype; the shapes
    broadcast.  `data` are the tensors to show, by default `x` and `y`.  `summarize` is
    the number of elements of each tensor to show, by default 3.  It raises
    InvalidArgumentError immediately if both values are known when the graph is built,
    otherwise when the operation runs.

    Examples
    --------
    >>> x = tf.constant([1, 2])
    >>> with tf.control_dependencies([tf.assert_equal(x, [1, 2])]):
    ...     y = tf.identity(x)
    >>> tf.Session().run(y).tolist()
    [1, 2]
    """
    shown = data, summarize, message, name
    return _assert_pair("assert_equal", equal, "==", x, y, *shown)


def assert_less(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Return an operation that fails unless ``x < y``; see `assert_equal`."""
    shown = data, summarize, message, name
    return _assert_pair("assert_less", less, "<", x, y, *shown)


def assert_less_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Return an operation that fails unless ``x <= y``; see `assert_equal`."""
    shown = data, summarize, message, name
    return _assert_pair("assert_less_equal", less_equal, "<=", x, y, *shown)


def assert_greater(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Return an operation that fails unless ``x > y``; see `assert_equal`."""
    shown = data, summarize, message, name
    return _assert_pair("assert_greater", greater, ">", x, y, *shown)


def assert_greater_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Return an operation that fails unless ``x >= y``; see `assert_equal`."""
    shown = data, summarize, message, name
    return _assert_pair("assert_greater_equal", greater_equal, ">=", x, y, *shown)


def assert_positive(
    x: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Return an operation that fails unless ``x > 0``; see `assert_equal`."""
    function = "assert_positive"
    value = convert_to_tensor(x)
    shown = [value] if data is None else data
    text = _text(message, f"{value.name} > 0 does not hold")
    holds = greater(value, zeros_like(value))
    return _all(holds, text, shown, summarize, name_or(name, function))


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return a tensor with a more precise static shape, which is checked.

    The result is a tensor with the values of `x`.  In `shape`, None stands for any
    size.  It raises ValueError if the static shape of `x` contradicts `shape`, and at
    run time InvalidArgumentError if the value has another shape.

    Examples
    --------
    >>> x = tf.placeholder(tf.float32)
    >>> y = tf.ensure_shape(x, [None, 2])
    >>> y.shape.as_list(), tf.Session().run(y, {x: [[1.0, 2.0]]}).tolist()
    ([None, 2], [[1.0, 2.0]])
    """
    value, wanted = convert_to_tensor(x), as_shape(shape)
    if not value.shape.is_compatible_with(wanted):
        raise ValueError(
            f"tf.ensure_shape: {value.describe()} does not have the shape {wanted}"
        )
    merged = value.shape.merge_with(wanted)
    checks = [] if merged == value.shape else _shape_checks(value, wanted)
    with control_dependencies(checks):
        checked = identity(value, name_or(name, "EnsureShape"))
    checked.set_shape(merged)
    return checked


def _shape_checks(value: Tensor, wanted: TensorShape) -> list[Operation | None]:
    """Return operations that fail unless a tensor has a shape."""
    own = [-1 if size is None else size for size in wanted.as_list()]
    claim = f"the shape of {value.name} must be {wanted}, it is"
    ranks = Assert(equal(rank_of(value), len(own)), [claim, shape_of(value)])
    with control_dependencies([ranks]):
        sizes = shape_of(identity(value))
    sizes.set_shape([len(own)])
    known = [axis for axis, size in enumerate(own) if size >= 0]
    if not known:
        return [ranks]
    holds = equal(gather(sizes, known), [own[axis] for axis in known])
    return [Assert(reduce_all(holds), [claim, sizes])]


def _assert_pair(
    function: str,
    compare: Callable[[Any, Any], Tensor],
    sign: str,
    x: Any,
    y: Any,
    data: Sequence[Any] | None,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation | None:
    left, right = convert_operands(f"tf.{function}", (x, y))
    shown = [left, right] if data is None else data
    text = _text(message, f"{left.name} {sign} {right.name} does not hold")
    return _all(compare(left, right), text, shown, summarize, name_or(name, function))


def _text(message: str | None, claim: str) -> str:
    return claim if message is None else f"{message}: {claim}"


def _all(
    holds: Tensor, text: str, data: Sequence[Any], summarize: int | None, name: str
) -> Operation | None:
    data = listed(f"tf.{name}: data", data)
    known = holds.operand().value
    if known is not None and not np.all(known):
        values = [convert_to_tensor(value).operand().value for value in data]
        raise InvalidArgumentError(f"tf.{name}: {text}; the values are {values}")
    return Assert(reduce_all(holds), [text, *data], summarize, name)


def assert_equal_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Do `assert_equal`, with the parameters of TensorFlow 2."""
    return assert_equal(x, y, None, summarize, message, name)


def assert_greater_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Do `assert_greater`, with the parameters of TensorFlow 2."""
    return assert_greater(x, y, None, summarize, message, name)


def assert_less_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Do `assert_less`, with the parameters of TensorFlow 2."""
    return assert_less(x, y, None, summarize, message, name)


def assert_greater_equal_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Do `assert_greater_equal`, with the parameters of TensorFlow 2."""
    return assert_greater_equal(x, y, None, summarize, message, name)


def assert_less_equal_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Do `assert_less_equal`, with the parameters of TensorFlow 2."""
    return assert_less_equal(x, y, None, summarize, message, name)


def assert_positive_v2(
    x: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Do `assert_positive`, with the parameters of TensorFlow 2."""
    return assert_positive(x, None, summarize, message, name)


def Assert(
    condition: Any,
    data: Sequence[Any],
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Return an operation that fails, showing `data`, unless `condition` holds.

    It is None in eager mode.  `condition` is a bool tensor, all of whose elements must
    be true.  `summarize` is the number of elements of each tensor to show, by default
    3.  It raises `tf.errors.InvalidArgumentError` when the operation runs and the
    condition is false.

    Examples
    --------
    >>> x = tf.constant(3)
    >>> with tf.control_dependencies([tf.Assert(x > 0, [x])]):
    ...     y = tf.identity(x)
    >>> int(tf.Session().run(y))
    3
    """
    shown = listed("tf.Assert: data", data)
    inputs = [convert_to_tensor(condition, bool_), *map(convert_to_tensor, shown)]
    count = 3 if summarize is None else summarize
    if executing_eagerly():
        build.apply_all("Assert", *inputs, summarize=count, name=name)
        return None
    return build.apply_operation("Assert", *inputs, summarize=count, name=name)
