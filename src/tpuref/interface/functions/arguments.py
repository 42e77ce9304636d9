"""Arguments of functions: shapes, and integers needed when the graph is built."""

import operator
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.dtypes import int32
from tpuref.base.shapes import Dimension, TensorShape, unknown_shape
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.broadcasting import Axis
from tpuref.engine.ops.joining import PACK
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.reshaping import SHAPE


def shape_tensor(shape: Any) -> Tensor:
    """Return a shape argument as a vector of integers."""
    if isinstance(shape, (int, Dimension)):
        shape = [shape]
    if isinstance(shape, TensorShape):
        shape = shape.as_list() if shape.is_fully_defined() else shape
    if isinstance(shape, (list, tuple)):
        sizes = [size.value if isinstance(size, Dimension) else size for size in shape]
        known = any(isinstance(s, EagerTensor) and s.dtype.is_floating for s in sizes)
        return convert_to_tensor(sizes, int32 if known or not sizes else None)
    return convert_to_tensor(shape)


def refine_shape(result: Tensor, shape: Tensor) -> Tensor:
    """Set the static shape of `result`, whose shape is the value of a tensor."""
    if shape.operand().value is None:
        result.set_shape(_partly_known(shape))
    return result


def _partly_known(shape: Tensor) -> TensorShape:
    """Return the static part of a shape assembled from tensors."""
    if shape.op.definition is SHAPE:
        return shape.op.inputs[0].shape
    if shape.op.definition is not PACK:
        return unknown_shape()
    values = [size.operand().value for size in shape.op.inputs]
    sizes = [None if value is None else int(value) for value in values]
    return TensorShape([None if size == -1 else size for size in sizes])


def static_integer(value: Any, name: str) -> int:
    """Return an integer argument, or the static value of an integer tensor.

    `name` is the function and the argument, for messages.  It raises ValueError if the
    value of a tensor is unknown until the graph runs.
    """
    if isinstance(value, Tensor):
        value = _known_array(value, name)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}: expected an integer, got {value!r} of type {type(value).__name__}"
        ) from None


def _known_array(tensor: Tensor, name: str) -> Array:
    known = tensor.operand().value
    if known is None:
        raise ValueError(
            f"{name}: {tensor.describe()} is unknown until the graph runs; "
            "use Python integers"
        )
    return known


def static_number(value: Any, name: str) -> float:
    """Return a real number that must be known when the graph is built."""
    try:
        if not np.iscomplexobj(value):  # its imaginary part would be lost
            return float(value)
    except (TypeError, ValueError):
        pass
    raise wrong_type(name, "a real number", value)


def static_integers(value: Any, name: str) -> tuple[int, ...]:
    """Return one or several integers that must be known when the graph is built."""
    if isinstance(value, Tensor):
        value = _known_array(value, name)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(static_integer(item, name) for item in value)
    return (static_integer(value, name),)


def check_rank_at_least(rank: int, x: Tensor, name: str) -> None:
    """Refuse a tensor whose rank is known to be less."""
    if x.shape.rank is not None and x.shape.rank < rank:
        raise codes.WRONG_SHAPE.value_error(
            f"{name}: expected rank {rank} or more, got {x.describe()}"
        )


def one_of(function: str, **names: Any) -> Any:
    """Return an argument that has two names."""
    given = [value for value in names.values() if value is not None]
    if len(given) > 1:
        raise ValueError(
            f"{function}: {' and '.join(names)} are the same argument; give only "
            f"{next(iter(names))}"
        )
    return given[0] if given else None


def static_axes(function: str, axis: Any, x: Tensor) -> Axis:
    """Return the axes of `x` as integers, from the left if the rank is known.

    `axis` is None, an integer, a sequence of integers or a constant tensor; `function`
    is the public function, for messages.
    """
    if axis is None:
        return None
    axes = static_integers(axis, f"{function}: axis")
    rank = x.shape.rank
    # The operation's own rule reports an axis that does not exist.
    if rank is None or not all(-rank <= each < rank for each in axes):
        return axes
    return tuple(sorted(each % rank for each in axes))


def static_axis(function: str, axis: Any, x: Tensor) -> int:
    """Return one axis of `x`, as `static_axes` does."""
    index = static_integer(axis, f"{function}: axis")
    rank = x.shape.rank
    return index if rank is None or not -rank <= index < rank else index % rank
