"""Rounding, and the next representable number."""

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def round(x: Any, name: str | None = None) -> Tensor:
    """Return the nearest whole number; ties round to the even one.

    The result has the shape and dtype of `x`.  Integers stay unchanged.

    Examples
    --------
    >>> tf.Session().run(tf.round([0.5, 1.5, 2.6]))
    array([0., 2., 3.], dtype=float32)
    """
    return apply_one("Round", x, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """Return the nearest whole number, ties to even, floating-point; see `round`."""
    return apply_one("Rint", x, name=name)


def floor(x: Any, name: str | None = None) -> Tensor:
    """Return the greatest whole number not above `x`, floating-point; see `round`."""
    return apply_one("Floor", x, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """Return the least whole number not below `x`, floating-point; see `round`."""
    return apply_one("Ceil", x, name=name)


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """Return the next representable number after `x1` towards `x2`.

    The result has the dtype of the operands.  Both are floating-point numbers of one
    dtype; the shapes broadcast.

    Examples
    --------
    >>> float(tf.Session().run(tf.math.nextafter(1.0, 2.0))) == 1 + 2.0**-23
    True
    """
    return apply_one("NextAfter", x1, x2, name=name)
