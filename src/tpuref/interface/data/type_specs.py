"""The kinds of values that stand between functions: their specs."""

from abc import ABC
from dataclasses import dataclass
from typing import Any

from tpuref.base.arguments import instance_of, wrong_type
from tpuref.base.dtypes import int64
from tpuref.base.shapes import TensorShape, as_shape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import variable_of
from tpuref.interface.data.element import (
    NoElement,
    NoneElement,
    RaggedElement,
    SparseElement,
    mapped,
)
from tpuref.interface.data.ragged import (
    RaggedTensor,
    RaggedTensorSpec,
    SparseTensorSpec,
)
from tpuref.interface.data.sparse import SparseTensor, SparseTensorValue
from tpuref.interface.functions.optional import Optional


class TypeSpec(ABC):  # noqa: B024 - a kind of values, without methods
    """The kind of the specs of tensors of all sorts."""


@dataclass(frozen=True)
class OptionalSpec:
    """The spec of `tf.experimental.Optional`: that of its element."""

    element_spec: Any


for _kind in (TensorSpec, SparseTensorSpec, RaggedTensorSpec, OptionalSpec):
    TypeSpec.register(_kind)


def element_of(signature: Any) -> Any:
    """Return the element that the specs of a generator's values describe."""
    return mapped(signature, _component_of)


def _component_of(spec: Any) -> Any:
    if isinstance(spec, SparseTensorSpec):
        rank = spec.shape.rank
        element = SparseElement(
            TensorSpec([None, rank], int64),
            TensorSpec([None], spec.dtype),
            TensorSpec([rank], int64),
        )
        element.shape = spec.shape
        return element
    if isinstance(spec, RaggedTensorSpec):
        rows, *inner = as_shape(spec.shape).as_list()
        splits = TensorSpec([None if rows is None else rows + 1], int64)
        return RaggedElement(TensorSpec([None, *inner[1:]], spec.dtype), splits)
    if isinstance(spec, OptionalSpec) and spec.element_spec is None:
        return NoElement()
    argument = "tf.data.Dataset.from_generator: output_signature"
    return instance_of(TensorSpec, argument, "a structure of tf.TensorSpec", spec)


def spec_of_component(part: Any) -> Any:
    """Return the spec of a component, as `element_spec` shows it."""
    if isinstance(part, SparseTensorValue):
        (rank,) = part.dense_shape.shape.as_tuple()
        shape = getattr(part, "shape", None)
        if shape is None:
            shape = unknown_shape(rank)
        return SparseTensorSpec(shape, part.values.dtype)
    if isinstance(part, RaggedElement):
        (splits,) = part.row_splits.shape.as_list()
        rows = None if splits is None else splits - 1
        inner = part.values.shape.as_list()[1:]
        return RaggedTensorSpec(TensorShape([rows, None, *inner]), part.values.dtype)
    if isinstance(part, NoneElement):
        return None
    return OptionalSpec(None) if isinstance(part, NoElement) else part


def type_of_component(part: Any) -> type[Any]:
    """Return the class of the values of a component."""
    kinds = (
        (SparseTensorValue, SparseTensor),
        (RaggedElement, RaggedTensor),
        (NoElement, Optional),
        (NoneElement, type(None)),
    )
    return next((kind for spec, kind in kinds if isinstance(part, spec)), Tensor)


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
    by_name = {f"tf.{kind.__name__}": kind for kind in kinds}
    if name not in by_name:
        raise ValueError(f"no class of specs is called {name!r}")
    return by_name[name]


def get_name(spec_class: type) -> str:
    """Return the name of a class of specs."""
    return f"tf.{spec_class.__name__}"
