"""Shared parts of gradient rules: constructors, and the reversal of broadcasting."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

Apply = Callable[..., Any]
Tensor = Any
"""A tensor: its `shape` and `dtype`, and Python's operators."""


class Applied(Protocol):
    """An applied operation, as its gradient rule sees it."""

    @property
    def type(self) -> str:
        """The name of its definition."""

    @property
    def inputs(self) -> Sequence[Tensor]:
        """The input tensors."""

    @property
    def outputs(self) -> Sequence[Tensor]:
        """The output tensors."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Its attributes."""


Rule = Callable[..., Any]


class NoGradient(LookupError):
    """The error of an operation that has no gradient with these arguments."""


class Rows(NamedTuple):
    """The sparse gradient of a table: the gradients of some rows, ``[n, ...]``.

    `indices`, ``[n]``, has the row of each; rows may repeat.
    """

    values: Tensor
    indices: Tensor


# -- kinds of rules ----------------------------------------------------------------


def passed_on(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Return the gradient of the output as that of the input."""
    return dy


def not_differentiable(apply: Apply, op: Applied, *dys: Tensor) -> Any:
    """Return no gradient for any input."""
    return (None,) * len(op.inputs)


def unary(derivative: Callable[..., Tensor]) -> Rule:
    """Return the rule of an elementwise function, from ``derivative(apply, x, y)``.

    For complex numbers the gradient is that of the conjugate, as in TensorFlow.
    """

    def rule(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
        return dy * conj(apply, derivative(apply, op.inputs[0], op.outputs[0]))

    return rule


def broadcast(*parts: Callable[..., Tensor] | None) -> Rule:
    """Return the rule of an elementwise function whose inputs broadcast.

    For each input, ``part(apply, dz, z, *inputs)`` returns its gradient with the shape
    of the output; a part of None means no gradient.
    """

    def rule(apply: Apply, op: Applied, dz: Tensor) -> Any:
        def own(part: Callable[..., Tensor], x: Tensor) -> Tensor:
            return sum_to(apply, part(apply, dz, op.outputs[0], *op.inputs), x)

        pairs = zip(parts, op.inputs, strict=True)
        return tuple(part and partial(own, part, x) for part, x in pairs)

    return rule


# -- shapes ------------------------------------------------------------------------


def sum_to(apply: Apply, gradient: Tensor, x: Tensor) -> Tensor:
    """Reverse broadcasting: sum over the axes along which `x` was repeated."""
    known = x.shape.is_fully_defined() and gradient.shape.is_fully_defined()
    if known and x.shape.as_tuple() == gradient.shape.as_tuple():
        return gradient
    return apply("SumToShape", gradient, shape_of(apply, x))


def shape_of(apply: Apply, x: Tensor) -> Any:
    """Return the shape of a tensor, as an array if it is static."""
    if x.shape.is_fully_defined():
        return np.array(x.shape.as_tuple(), np.int32)
    return apply("Shape", x, out_type="int32")


def size_of(apply: Apply, x: Tensor, dtype: str = "int32") -> Any:
    """Return the number of elements of a tensor, as an array if it is static."""
    count = x.shape.num_elements()
    if count is not None:
        return np.array(count, dtype)
    return apply("Size", x, out_type=dtype)


def reshaped_like(apply: Apply, gradient: Tensor, x: Tensor) -> Tensor:
    """Return a gradient with the shape of `x`, which has as many elements."""
    return apply("Reshape", gradient, shape_of(apply, x))


def flat(apply: Apply, x: Tensor) -> Tensor:
    """Return the elements of a tensor as a vector."""
    return apply("Reshape", x, np.array([-1], np.int32))


def rank_of(op: Applied, x: Tensor) -> int:
    """Return the rank of a tensor; raise NoGradient if it is unknown."""
    rank: int | None = x.shape.rank
    if rank is None:
        raise NoGradient(
            f"the rank of {x.spec.describe()} is unknown; set it with set_shape"
        )
    return rank


# -- values ------------------------------------------------------------------------


def of_dtype(apply: Apply, x: Any, like: Tensor) -> Any:
    """Return a tensor or array cast to the dtype of another tensor."""
    if isinstance(x, np.ndarray):
        return x.astype(like.dtype.np)
    return x if x.dtype == like.dtype else apply("Cast", x, dtype=like.dtype.name)


def conj(apply: Apply, x: Tensor) -> Tensor:
    """Return the conjugate of a complex tensor, and a real tensor unchanged."""
    return apply("Conj", x) if x.dtype.is_complex else x


def number(value: float, like: Tensor) -> Any:
    """Return a number as a scalar of a tensor's dtype."""
    return np.asarray(value, like.dtype.np)


def zeros_like(apply: Apply, x: Tensor) -> Tensor:
    """Return zeros shaped like a tensor; independent of it if the shape is static."""
    if not x.shape.is_fully_defined():
        return apply("ZerosLike", x)
    return apply("Fill", shape_of(apply, x), number(0, x))


def chosen(apply: Apply, mask: Tensor, x: Any, y: Any) -> Tensor:
    """Return `x` where the mask is true and `y` elsewhere."""
    return apply("SelectV2", mask, x, y)


def where(apply: Apply, mask: Tensor, dy: Tensor) -> Tensor:
    """Return the gradient where the mask is true, and 0 elsewhere."""
    return chosen(apply, mask, dy, number(0, dy))


def unless(apply: Apply, mask: Tensor, dy: Tensor) -> Tensor:
    """Return 0 where the mask is true, and the gradient elsewhere."""
    return chosen(apply, mask, number(0, dy), dy)


def over_root(apply: Apply, dy: Tensor, y: Tensor) -> Tensor:
    """Return ``dy / y`` for a root `y`, 0 where both are 0.

    A root of 0 that a maximum or a condition excluded then does not turn the gradient
    into NaN, as in TensorFlow.
    """
    if y.dtype.is_complex:
        return dy / conj(apply, y)
    without = apply("LogicalAnd", apply("Equal", dy, 0), apply("LogicalNot", y > 0))
    return unless(apply, without, dy / y)


# -- selections --------------------------------------------------------------------


def added_at(apply: Apply, gradient: Tensor, places: Tensor, x: Tensor) -> Tensor:
    """Return a gradient of `x`: the sums of the elements by flat index in `places`."""
    positions = apply("Reshape", places, np.array([-1, 1], np.int32))
    count = apply("Reshape", size_of(apply, x), np.array([1], np.int32))
    total = apply("ScatterNd", positions, flat(apply, gradient), count)
    return reshaped_like(apply, total, x)


def numbered(apply: Apply, x: Tensor) -> Tensor:
    """Return the flat index of each element of `x`, in its shape."""
    zero, one = np.int64(0), np.int64(1)
    count = apply("Range", zero, size_of(apply, x, "int64"), one)
    return reshaped_like(apply, count, x)


def selection(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return the gradient of an operation whose outputs are elements of its input."""
    # Applied to the flat indices of `x`, the operation itself says which element each
    # output came from, whatever its attributes are.
    x, *others = op.inputs
    places = apply(op.type, numbered(apply, x), *others, **op.attrs)
    return added_at(apply, dy, places, x), *[None] * len(others)
