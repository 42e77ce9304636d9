"""Elementwise logic of booleans."""

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether both elements are true; the result is boolean.

    Both are boolean; the shapes broadcast.

    Examples
    --------
    >>> tf.Session().run(tf.logical_and([True, True], [True, False]))
    array([ True, False])
    """
    return apply_one("LogicalAnd", x, y, name=name)


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether either element is true; see `logical_and`."""
    return apply_one("LogicalOr", x, y, name=name)


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """Return whether exactly one element is true; see `logical_and`."""
    return apply_one("LogicalXor", x, y, name=name)


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is false.

    The result is boolean, with the shape of `x`.
    """
    return apply_one("LogicalNot", x, name=name)
