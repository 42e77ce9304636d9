"""Expressions of tensors: operators, subscripts and NumPy's functions as operations."""

from __future__ import annotations

from typing import Any

from tpuref.engine.graph.build import apply
from tpuref.engine.graph.builder import register
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.equality import equal, has_elements, not_equal
from tpuref.engine.graph.numpy_protocol import apply_function, apply_ufunc
from tpuref.engine.graph.range_loops import turns
from tpuref.engine.graph.slicing import get_item


class TensorOperations:
    """Builds them; a `tpuref.engine.graph.builder.Builder`."""

    apply = staticmethod(apply)
    apply_ufunc = staticmethod(apply_ufunc)
    apply_function = staticmethod(apply_function)
    turns = staticmethod(turns)
    has_elements = staticmethod(has_elements)
    equal = staticmethod(equal)
    not_equal = staticmethod(not_equal)

    def get_item(self, value: Any, item: Any) -> Any:
        """Return the part of a tensor or variable that a subscript names."""
        return get_item(convert_to_tensor(value), item)


register(TensorOperations())
