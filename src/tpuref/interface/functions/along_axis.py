"""Functions along one axis: positions of extremes, running sums and products."""

from typing import Any

from tpuref.base.dtypes import as_dtype, int64
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import one_of, static_axis


def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = int64,
) -> Tensor:
    """Return the index of the greatest element along one axis, the first if several.

    The results are indices, without the axis.  `input` holds real numbers or booleans.
    `axis` is the axis, 0 by default.  `dimension` is the former name of `axis`.
    `output_type` is int32 or int64.  It raises ValueError if the axis does not exist,
    and at run time InvalidArgumentError if the axis has no elements.

    Examples
    --------
    >>> tf.Session().run(tf.argmax([[1, 9, 2], [8, 0, 8]], axis=1))
    array([1, 0])
    """
    along = one_of("tf.argmax", axis=axis, dimension=dimension)
    return _position("ArgMax", "tf.argmax", input, along, name, output_type)


def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = int64,
) -> Tensor:
    """Return the index of the least element along one axis; see `argmax`."""
    along = one_of("tf.argmin", axis=axis, dimension=dimension)
    return _position("ArgMin", "tf.argmin", input, along, name, output_type)


def cumsum(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the running sum along one axis.

    The result has the shape and dtype of `x`.  `x` holds numbers.  `exclusive` says
    whether each sum excludes its own element, so that the first is 0.  `reverse` says
    whether to start at the end.  It raises ValueError if the axis does not exist.

    Examples
    --------
    >>> tf.Session().run(tf.cumsum([1, 2, 3]))
    array([1, 3, 6], dtype=int32)
    >>> tf.Session().run(tf.cumsum([1, 2, 3], exclusive=True, reverse=True))
    array([5, 3, 0], dtype=int32)
    """
    return _run_along("Cumsum", "tf.cumsum", x, axis, exclusive, reverse, name)


def cumprod(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the running product along one axis; see `cumsum`."""
    return _run_along("Cumprod", "tf.cumprod", x, axis, exclusive, reverse, name)


def _position(
    op: str, function: str, input: Any, axis: Any, name: str | None, output_type: Any
) -> Tensor:
    x = convert_to_tensor(input)
    along = static_axis(function, 0 if axis is None else axis, x)
    result = as_dtype(output_type).name
    return apply_one(op, x, name=name, axis=along, keepdims=False, output_type=result)


def _run_along(
    op: str,
    function: str,
    x: Any,
    axis: Any,
    exclusive: bool,
    reverse: bool,
    name: str | None,
) -> Tensor:
    x = convert_to_tensor(x)
    along = static_axis(function, axis, x)
    return apply_one(
        op, x, name=name, axis=along, exclusive=bool(exclusive), reverse=bool(reverse)
    )


def argmax_v2(
    input: Any, axis: Any = None, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Return `argmax`, with the parameters of TensorFlow 2."""
    return argmax(input, axis, name, output_type=output_type)


def argmin_v2(
    input: Any, axis: Any = None, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Return `argmin`, with the parameters of TensorFlow 2."""
    return argmin(input, axis, name, output_type=output_type)


def arg_max(
    input: Any, dimension: Any, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Return `argmax` along an axis: the former name of the function."""
    return argmax(input, dimension, name, output_type=output_type)


def arg_min(
    input: Any, dimension: Any, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Return `argmin` along an axis: the former name of the function."""
    return argmin(input, dimension, name, output_type=output_type)
