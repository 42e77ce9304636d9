"""Trigonometric and hyperbolic functions."""

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def sin(x: Any, name: str | None = None) -> Tensor:
    """Return the sine of an angle in radians.

    The result has the shape and dtype of `x`.  The numbers are floating-point or
    complex.

    Examples
    --------
    >>> tf.Session().run(tf.sin([0.]))
    array([0.], dtype=float32)
    """
    return apply_one("Sin", x, name=name)


def cos(x: Any, name: str | None = None) -> Tensor:
    """Return the cosine of an angle in radians; see `sin`."""
    return apply_one("Cos", x, name=name)


def tan(x: Any, name: str | None = None) -> Tensor:
    """Return the tangent of an angle in radians; see `sin`."""
    return apply_one("Tan", x, name=name)


def asin(x: Any, name: str | None = None) -> Tensor:
    """Return the angle whose sine is `x`, in radians; nan outside -1 to 1."""
    return apply_one("Asin", x, name=name)


def acos(x: Any, name: str | None = None) -> Tensor:
    """Return the angle whose cosine is `x`, in radians; nan outside -1 to 1."""
    return apply_one("Acos", x, name=name)


def atan(x: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians whose tangent is `x`; see `sin`."""
    return apply_one("Atan", x, name=name)


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians from the x axis to the point ``(x, y)``.

    It is from -pi to pi.  `y` and `x` are floating-point numbers of one dtype, whose
    shapes broadcast.

    Examples
    --------
    >>> tf.Session().run(tf.atan2([1., 0.], [0., -1.]))
    array([1.5707964, 3.1415927], dtype=float32)
    """
    return apply_one("Atan2", y, x, name=name)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """Return the hyperbolic sine; see `sin`."""
    return apply_one("Sinh", x, name=name)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """Return the hyperbolic cosine; see `sin`."""
    return apply_one("Cosh", x, name=name)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """Return the hyperbolic tangent; see `sin`."""
    return apply_one("Tanh", x, name=name)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse hyperbolic sine; see `sin`."""
    return apply_one("Asinh", x, name=name)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse hyperbolic cosine; nan below 1; see `sin`."""
    return apply_one("Acosh", x, name=name)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse hyperbolic tangent; nan outside -1 to 1; see `sin`."""
    return apply_one("Atanh", x, name=name)
