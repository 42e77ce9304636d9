"""What rules of gradients share: how they are made, and how broadcasting is undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

Apply = Callable[..., Any]
Tensor = Any
"""A tensor: its `shape` and `dtype`, and Python's operators."""


class Applied(Protocol):
    """An operation that was applied, as its rule sees it."""

    @property
    def type(self) -> str:
        """The name of its record."""

    @property
    def inputs(self) -> Sequence[Tensor]:
        """The tensors that it took."""

    @property
    def outputs(self) -> Sequence[Tensor]:
        """The tensors that it gave."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Its attributes."""


Rule = Callable[..., Any]


class NoGradient(LookupError):
    """An operation has no gradient as it was applied."""


class Rows(NamedTuple):
    """The gradient of a table of which only some rows were used.

    Attributes
    ----------
    values
        The gradients of rows, ``[n, ...]``.
    indices
        Which row each of them belongs to, ``[n]``; a row may appear again.
    """

    values: Tensor
    indices: Tensor


# -- kinds of rules ----------------------------------------------------------------


def passed_on(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Give the input the gradient of the output."""
    return dy


def not_differentiable(apply: Apply, op: Applied, *dys: Tensor) -> Any:
    """Give no input a gradient."""
    return (None,) * len(op.inputs)


def unary(derivative: Callable[..., Tensor]) -> Rule:
    """Return the rule of a function of one number, ``derivative(apply, x, y)``.

    For complex numbers the gradient is that of the conjugate, as in TensorFlow.
    """

    def rule(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
        return dy * conj(apply, derivative(apply, op.inputs[0], op.outputs[0]))

    return rule


def broadcast(*parts: Callable[..., Tensor] | None) -> Rule:
    """Return the rule of a function of several numbers whose shapes broadcast.

    Each part gives, or is None for, the gradient of one input with the shape of the
    output: ``part(apply, dz, z, *inputs)``.
    """

    def rule(apply: Apply, op: Applied, dz: Tensor) -> Any:
        def own(part: Callable[..., Tensor], x: Tensor) -> Tensor:
            return sum_to(apply, part(apply, dz, op.outputs[0], *op.inputs), x)

        pairs = zip(parts, op.inputs, strict=True)
        return tuple(part and partial(own, part, x) for part, x in pairs)

    return rule


# -- shapes ------------------------------------------------------------------------


def sum_to(apply: Apply, gradient: Tensor, x: Tensor) -> Tensor:
    """Undo broadcasting: sum over the axes along which `x` was repeated."""
    known = x.shape.is_fully_defined() and gradient.shape.is_fully_defined()
    if known and x.shape.as_tuple() == gradient.shape.as_tuple():
        return gradient
    return apply("SumToShape", gradient, shape_of(apply, x))


def shape_of(apply: Apply, x: Tensor) -> Any:
    """Return the shape of a tensor, as an array where it is known."""
    if x.shape.is_fully_defined():
        return np.array(x.shape.as_tuple(), np.int32)
    return apply("Shape", x, out_type="int32")


def size_of(apply: Apply, x: Tensor, dtype: str = "int32") -> Any:
    """Return the number of elements of a tensor, as an array where it is known."""
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
    """Return the rank of a tensor; NoGradient where it is unknown."""
    rank: int | None = x.shape.rank
    if rank is None:
        raise NoGradient(
            f"the rank of {x.spec.describe()} is unknown; give it with set_shape"
        )
    return rank


# -- values ------------------------------------------------------------------------


def of_dtype(apply: Apply, x: Any, like: Tensor) -> Any:
    """Return a tensor or array in the element type of another tensor."""
    if isinstance(x, np.ndarray):
        return x.astype(like.dtype.np)
    return x if x.dtype == like.dtype else apply("Cast", x, dtype=like.dtype.name)


def conj(apply: Apply, x: Tensor) -> Tensor:
    """Return the conjugate of a complex tensor, and a real one as it is."""
    return apply("Conj", x) if x.dtype.is_complex else x


def number(value: float, like: Tensor) -> Any:
    """Return a number with the element type of a tensor."""
    return np.asarray(value, like.dtype.np)


def zeros_like(apply: Apply, x: Tensor) -> Tensor:
    """Return zeros with the shape of a tensor, without it where the shape is known."""
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
    """Return a gradient divided by a root, 0 where nothing comes back to a root of 0.

    So a root that a maximum or a condition has left out spoils nothing, as in
    TensorFlow.
    """
    if y.dtype.is_complex:
        return dy / conj(apply, y)
    without = apply("LogicalAnd", apply("Equal", dy, 0), apply("LogicalNot", y > 0))
    return unless(apply, without, dy / y)


# -- selections --------------------------------------------------------------------


def added_at(apply: Apply, gradient: Tensor, places: Tensor, x: Tensor) -> Tensor:
    """Add each element of a gradient to the element of `x` with its number."""
    positions = apply("Reshape", places, np.array([-1, 1], np.int32))
    count = apply("Reshape", size_of(apply, x), np.array([1], np.int32))
    total = apply("ScatterNd", positions, flat(apply, gradient), count)
    return reshaped_like(apply, total, x)


def numbered(apply: Apply, x: Tensor) -> Tensor:
    """Return a tensor of the shape of `x` that holds the numbers of its elements."""
    zero, one = np.int64(0), np.int64(1)
    count = apply("Range", zero, size_of(apply, x, "int64"), one)
    return reshaped_like(apply, count, x)


def selection(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return the gradient of an operation whose outputs are elements of its input.

    The operation itself says which: it is applied to the numbers of the elements.
    """
    x, *others = op.inputs
    places = apply(op.type, numbered(apply, x), *others, **op.attrs)
    return added_at(apply, dy, places, x), *[None] * len(others)
