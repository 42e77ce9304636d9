"""Bitwise functions of integers, the namespace ``tf.bitwise``."""

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the bits that are set in both; the result has the dtype of the operands.

    Both are integers of one dtype; the shapes broadcast.

    Examples
    --------
    >>> tf.Session().run(tf.bitwise.bitwise_and([6, 12], 10))
    array([2, 8], dtype=int32)
    """
    return apply_one("BitwiseAnd", x, y, name=name)


def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the bits that are set in either; see `bitwise_and`."""
    return apply_one("BitwiseOr", x, y, name=name)


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the bits that differ; see `bitwise_and`."""
    return apply_one("BitwiseXor", x, y, name=name)


def invert(x: Any, name: str | None = None) -> Tensor:
    """Return the integers with all bits flipped.

    The result has the shape and dtype of `x`.
    """
    return apply_one("Invert", x, name=name)


def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x` shifted left by `y` bits, 0 if these are all; see `bitwise_and`."""
    return apply_one("LeftShift", x, y, name=name)


def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x` shifted right by `y` bits, keeping the sign; see `bitwise_and`."""
    return apply_one("RightShift", x, y, name=name)
