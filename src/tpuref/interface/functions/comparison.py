"""Comparison of numbers, and tests for special ones."""

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether the elements are equal; the result is boolean.

    Both have one dtype, which may be text; the shapes broadcast.

    Examples
    --------
    >>> tf.Session().run(tf.equal([1, 2], 2))
    array([False,  True])
    """
    return apply_one("Equal", x, y, name=name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether the elements differ; see `equal`."""
    return apply_one("NotEqual", x, y, name=name)


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x < y`` of real numbers, element by element; see `equal`."""
    return apply_one("Less", x, y, name=name)


def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x <= y`` of real numbers, element by element; see `equal`."""
    return apply_one("LessEqual", x, y, name=name)


def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x > y`` of real numbers, element by element; see `equal`."""
    return apply_one("Greater", x, y, name=name)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x >= y`` of real numbers, element by element; see `equal`."""
    return apply_one("GreaterEqual", x, y, name=name)


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is nan; the result is boolean, with the shape of `x`.

    The numbers are floating-point or complex.

    Examples
    --------
    >>> tf.Session().run(tf.is_nan([1., float("nan")]))
    array([False,  True])
    """
    return apply_one("IsNan", x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is infinite; see `is_nan`."""
    return apply_one("IsInf", x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is neither infinite nor nan; see `is_nan`."""
    return apply_one("IsFinite", x, name=name)
