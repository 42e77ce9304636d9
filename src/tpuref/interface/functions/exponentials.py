"""Roots, exponentials, logarithms and error functions."""

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Return the square root; nan for a negative number.

    The result has the shape and dtype of `x`.  The numbers are floating-point or
    complex.

    Examples
    --------
    >>> tf.Session().run(tf.sqrt([4., 9.]))
    array([2., 3.], dtype=float32)
    """
    return apply_one("Sqrt", x, name=name)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """Return 1 divided by the square root; see `sqrt`."""
    return apply_one("Rsqrt", x, name=name)


def exp(x: Any, name: str | None = None) -> Tensor:
    """Return e to the power `x`; see `sqrt`."""
    return apply_one("Exp", x, name=name)


def expm1(x: Any, name: str | None = None) -> Tensor:
    """Return ``exp(x) - 1``, exact even for small `x`; see `sqrt`."""
    return apply_one("Expm1", x, name=name)


def log(x: Any, name: str | None = None) -> Tensor:
    """Return the natural logarithm; nan below 0, -inf at 0; see `sqrt`."""
    return apply_one("Log", x, name=name)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """Return ``log(1 + x)``, exact even for small `x`; see `sqrt`."""
    return apply_one("Log1p", x, name=name)


def erf(x: Any, name: str | None = None) -> Tensor:
    """Return the Gauss error function of floating-point numbers; see `sqrt`."""
    return apply_one("Erf", x, name=name)


def erfc(x: Any, name: str | None = None) -> Tensor:
    """Return ``1 - erf(x)``, exact even where it is small; see `erf`."""
    return apply_one("Erfc", x, name=name)


def erfinv(x: Any, name: str | None = None) -> Tensor:
    """Return the number whose error function is `x`, for each element.

    Examples
    --------
    >>> tf.Session().run(tf.math.erfinv([0.0, 0.5])).round(4).tolist()
    [0.0, 0.47690001130104065]
    """
    return apply_one("Erfinv", x, name=name)


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the absolute gamma function; inf at poles; see `erf`."""
    return apply_one("Lgamma", x, name=name)
