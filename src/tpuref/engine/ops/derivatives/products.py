"""Gradients of products of matrices and tensors."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tpuref.engine.ops.broadcasting import normalize_axis
from tpuref.engine.ops.derivatives.rule import (
    Applied,
    Apply,
    NoGradient,
    Rule,
    Tensor,
    conj,
    not_differentiable,
    rank_of,
    reshaped_like,
    shape_of,
    sum_to,
)
from tpuref.engine.ops.linear_algebra import parse_equation

# -- matrices ----------------------------------------------------------------------


def _matmul(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return da = dy b* and db = a* dy for y = a b; * is the conjugate transpose.

    A vector is a row on the left and a column on the right.
    """
    a, b = op.inputs
    left = apply("ExpandDims", a, axis=0) if a.shape.rank == 1 else a
    right = apply("ExpandDims", b, axis=1) if b.shape.rank == 1 else b
    dy = apply("ExpandDims", dy, axis=-1) if right is not b else dy
    dy = apply("ExpandDims", dy, axis=-2) if left is not a else dy
    turned_a, turned_b = (
        op.attrs[f"transpose_{k}"] or op.attrs[f"adjoint_{k}"] for k in "ab"
    )
    # The adjoint is the transpose of the conjugate, whose own conjugate is the input.
    others = [
        x if op.attrs[f"adjoint_{k}"] else conj(apply, x)
        for k, x in zip("ab", (left, right), strict=True)
    ]
    parts = _matrix_products(apply, others[0], others[1], dy, turned_a, turned_b)

    def own(k: int, x: Tensor, matrix: Tensor) -> Tensor:
        gradient = parts[k]()
        if op.attrs[f"adjoint_{'ab'[k]}"]:
            gradient = conj(apply, gradient)
        if not left.shape.rank == right.shape.rank == 2:
            gradient = sum_to(apply, gradient, matrix)
        return gradient if matrix is x else reshaped_like(apply, gradient, x)

    return partial(own, 0, a, left), partial(own, 1, b, right)


def _matrix_products(
    apply: Apply, a: Tensor, b: Tensor, dy: Tensor, turned_a: bool, turned_b: bool
) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Return functions for the gradients of two matrices, transposed or not."""

    def product(x: Tensor, y: Tensor, turn_x: bool, turn_y: bool) -> Tensor:
        return apply("MatMul", x, y, transpose_a=turn_x, transpose_b=turn_y)

    def of_a() -> Tensor:
        if turned_a:
            return product(b, dy, turned_b, True)
        return product(dy, b, False, not turned_b)

    def of_b() -> Tensor:
        if turned_b:
            return product(dy, a, True, turned_a)
        return product(a, dy, not turned_a, False)

    return of_a, of_b


# -- tensors -----------------------------------------------------------------------


def _tensordot(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Contract with the other tensor over its free axes, and restore the axis order."""
    a, b = op.inputs
    ranks = rank_of(op, a), rank_of(op, b)
    summed_a = [normalize_axis(axis, ranks[0]) for axis in op.attrs["axes_a"]]
    summed_b = [normalize_axis(axis, ranks[1]) for axis in op.attrs["axes_b"]]
    free_a = [axis for axis in range(ranks[0]) if axis not in summed_a]
    free_b = [axis for axis in range(ranks[1]) if axis not in summed_b]
    first = tuple(range(len(free_a)))
    last = tuple(range(len(free_a), len(free_a) + len(free_b)))

    def of_a() -> Tensor:
        product = _dot(apply, dy, conj(apply, b), last, tuple(free_b))
        order = [*free_a, *[summed_a[k] for k in np.argsort(summed_b)]]
        return _in_order(apply, product, order)

    def of_b() -> Tensor:
        product = _dot(apply, dy, conj(apply, a), first, tuple(free_a))
        order = [*free_b, *[summed_b[k] for k in np.argsort(summed_a)]]
        return _in_order(apply, product, order)

    return of_a, of_b


def _dot(
    apply: Apply, x: Tensor, y: Tensor, axes_x: tuple[int, ...], axes_y: tuple[int, ...]
) -> Tensor:
    return apply("Tensordot", x, y, axes_a=axes_x, axes_b=axes_y)


def _in_order(apply: Apply, x: Tensor, axes: list[int]) -> Tensor:
    """Transpose a tensor, whose axis k is axis ``axes[k]`` of the result."""
    perm = tuple(int(k) for k in np.argsort(axes))
    return x if perm == tuple(range(len(axes))) else apply("Transpose", x, perm=perm)


# -- index notation ----------------------------------------------------------------


def _einsum(apply: Apply, op: Applied, dy: Tensor) -> Any:
    terms, result = parse_equation(op.attrs["equation"], len(op.inputs))
    return tuple(
        partial(_einsum_part, apply, op, dy, terms, result, k)
        for k in range(len(terms))
    )


def _einsum_part(
    apply: Apply, op: Applied, dy: Tensor, terms: list[str], result: str, k: int
) -> Tensor:
    """Contract with the other inputs; broadcast along labels that none of them has."""
    x, own = op.inputs[k], terms[k]
    others = [term for j, term in enumerate(terms) if j != k]
    known = "".join(label for label in own if label in result + "".join(others))
    if len(set(own)) < len(own) or ("." in own and "." not in known):
        raise NoGradient(
            f"the term {own!r} of {op.attrs['equation']!r} repeats a label, or sums "
            "axes of its ellipsis; take the diagonal or sum before the einsum"
        )
    inputs = [dy, *[conj(apply, t) for j, t in enumerate(op.inputs) if j != k]]
    equation = ",".join([result, *others]) + "->" + known
    gradient = apply("Einsum", *inputs, equation=equation.replace(".", "..."))
    if known != own:
        gradient = _expand_missing(apply, gradient, own, known, rank_of(op, x))
        return apply("BroadcastTo", gradient, shape_of(apply, x))
    return sum_to(apply, gradient, x) if "." in own else gradient


def _expand_missing(apply: Apply, x: Tensor, own: str, known: str, rank: int) -> Tensor:
    """Insert an axis of size 1 for each label that a tensor lacks."""
    before, dots, after = own.partition(".")
    unnamed = rank - len(before + after)
    labels = [*before, *[known] * unnamed * len(dots), *after]
    for axis, label in enumerate(labels):
        if label not in known:
            x = apply("ExpandDims", x, axis=axis)
    return x


def _trace(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Place the gradient on the diagonal."""
    x, attrs = op.inputs[0], op.attrs
    rank = rank_of(op, x)
    row, column = (normalize_axis(attrs[name], rank) for name in ("axis1", "axis2"))
    for axis in sorted((row, column)):
        dy = apply("ExpandDims", dy, axis=axis)
    sizes = shape_of(apply, x)
    rows = _steps(apply, sizes[row], row, rank) + np.int32(attrs["offset"])
    diagonal = apply("Equal", rows, _steps(apply, sizes[column], column, rank))
    return dy * apply("Cast", diagonal, dtype=dy.dtype.name)


def _steps(apply: Apply, size: Tensor, axis: int, rank: int) -> Tensor:
    """Return 0, 1, 2, ... along an axis."""
    steps = apply("Range", np.int32(0), size, np.int32(1))
    shape = [-1 if k == axis else 1 for k in range(rank)]
    return apply("Reshape", steps, np.array(shape, np.int32))


RULES: dict[str, Rule] = {
    "MatMul": _matmul,
    "Tensordot": _tensordot,
    "Einsum": _einsum,
    "Trace": _trace,
    "Orthonormal": not_differentiable,
}
