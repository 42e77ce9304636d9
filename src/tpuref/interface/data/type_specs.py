"""The kinds of values that stand between functions: their specs."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any

from tpuref.base.arguments import wrong_type
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import variable_of
from tpuref.interface.data.ragged import (
    RaggedTensor,
    RaggedTensorSpec,
    SparseTensorSpec,
)
from tpuref.interface.data.sparse import SparseTensor
from tpuref.interface.functions.optional import Optional

__all__ = ["OptionalSpec", "TypeSpec", "type_spec_from_value"]


class TypeSpec(ABC):  # noqa: B024 - a kind of values, without methods
    """The kind of the specs of tensors of all sorts."""


@dataclass(frozen=True)
class OptionalSpec:
    """The spec of `tf.experimental.Optional`: that of its element."""

    element_spec: Any


for _kind in (TensorSpec, SparseTensorSpec, RaggedTensorSpec, OptionalSpec):
    TypeSpec.register(_kind)


def type_spec_from_value(value: Any) -> Any:
    """Return the spec of a value.

    It raises TypeError for a value without tensors.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     print(tf.type_spec_from_value(tf.constant([1])))
    int32[1]
    """
    value = variable_of(value)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec(value.shape, value.dtype)
    if isinstance(value, Optional):
        return OptionalSpec(value.element_spec)
    if not isinstance(value, Tensor) and not hasattr(value, "_as_tensor"):
        raise wrong_type("tf.type_spec_from_value: value", "a tensor", value)
    return TensorSpec(value.shape, value.dtype)


def lookup(name: str) -> type:
    """Return the class of specs of a name, such as ``"tf.TensorSpec"``."""
    kinds = (TensorSpec, SparseTensorSpec, RaggedTensorSpec, OptionalSpec)
    found = {f"tf.{kind.__name__}": kind for kind in kinds}
    if name not in found:
        raise ValueError(f"no class of specs is called {name!r}")
    return found[name]


def get_name(spec_class: type) -> str:
    """Return the name of a class of specs."""
    return f"tf.{spec_class.__name__}"
