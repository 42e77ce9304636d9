"""Expressions of tensors: operators, subscripts and NumPy's functions as operations."""

from typing import Any

from tpuref.engine.graph.build import apply
from tpuref.engine.graph.builder import register
from tpuref.engine.graph.convert import constant, convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.numpy_protocol import apply_function, apply_ufunc
from tpuref.engine.graph.range_loops import turns
from tpuref.engine.graph.slicing import get_item
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.broadcasting import broadcast_pair

# ``==`` compares element by element, as in TensorFlow 2.


def has_elements(value: Any) -> bool:
    """Return whether a value is more than a place in a graph of TensorFlow 1."""
    if isinstance(value, Tensor):
        return isinstance(value, EagerTensor) or value.graph.traced
    return executing_eagerly() or get_default_graph().traced


def equal(value: Any, other: Any) -> Any:
    """Return where two values are equal; a scalar False if shapes do not broadcast."""
    return _compare("Equal", value, other, unlike=False)


def not_equal(value: Any, other: Any) -> Any:
    """Return where two values differ; a scalar True if shapes do not broadcast."""
    return _compare("NotEqual", value, other, unlike=True)


def _compare(op: str, value: Any, other: Any, *, unlike: bool) -> Any:
    if other is None and isinstance(value, Tensor):
        return unlike
    left = convert_to_tensor(value)
    right = convert_to_tensor(other, None if _is_tensor(other) else left.dtype)
    if broadcast_pair(left.shape, right.shape) is None:
        return constant(unlike)
    return apply(op, left, right)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_tensor")


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
