"""The registry of the code that builds operations for tensors' expressions.

Operators, subscripts, NumPy's functions and lists of tensors each build an operation.
The code that builds operations needs tensors, so it lies above them.  The package
`tpuref.engine.graph` imports it, so it is registered whichever of its modules is
imported first.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np


class Builder(Protocol):
    """Builds the operations of expressions, or runs them at once in eager mode."""

    def apply(
        self, op: str, *inputs: Any, name: str | None = None, **attrs: Any
    ) -> Any:
        """Apply the operation `op` and return its output."""

    def has_elements(self, value: Any) -> bool:
        """Return whether a value is more than a place in a graph of TensorFlow 1."""

    def equal(self, value: Any, other: Any) -> Any:
        """Return where the elements of two values are equal."""

    def not_equal(self, value: Any, other: Any) -> Any:
        """Return where the elements of two values differ."""

    def get_item(self, value: Any, item: Any) -> Any:
        """Return the part of a tensor or variable that a subscript names."""

    def turns(self, counts: Any) -> Iterator[Any]:
        """Return the iterator of a ``for`` over a range in a traced function."""

    def apply_ufunc(
        self,
        ufunc: np.ufunc,
        method: str,
        inputs: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Apply a ufunc of NumPy, or a method of it, to tensors."""

    def apply_function(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Apply another function of NumPy to tensors."""


_registered: list[Builder] = []


def register(builder: Builder) -> None:
    """Set the builder; called by `tpuref.engine.graph.tensor_operations` alone."""
    _registered[:] = [builder]


def builder() -> Builder:
    """Return the registered builder."""
    return _registered[0]
