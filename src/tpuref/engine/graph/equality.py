"""``==`` of tensors and variables, element by element as in TensorFlow 2."""

from __future__ import annotations

from typing import Any

from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import constant, convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.broadcasting import broadcast_pair


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
