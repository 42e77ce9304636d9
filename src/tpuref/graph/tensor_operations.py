"""Expressions of tensors: operators, subscripts and NumPy's functions as operations."""

from __future__ import annotations

from typing import Any

from tpuref.graph.build import apply
from tpuref.graph.builder import register
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.numpy_protocol import apply_function, apply_ufunc
from tpuref.graph.range_loops import turns
from tpuref.graph.slicing import get_item


class TensorOperations:
    """Builds them; a `tpuref.graph.builder.Builder`."""

    apply = staticmethod(apply)
    apply_ufunc = staticmethod(apply_ufunc)
    apply_function = staticmethod(apply_function)
    turns = staticmethod(turns)

    def get_item(self, value: Any, item: Any) -> Any:
        """Return the part of a tensor or variable that a subscript names."""
        return get_item(convert_to_tensor(value), item)


register(TensorOperations())
