"""Handle the elements of a dataset: nested tuples and dicts; a list is one tensor.

An element is described by its structure, with a `TensorSpec` per component; stages pass
it on as the flat tuple of its arrays.  A sparse tensor is a `SparseTensorValue`, a
ragged one a `RaggedElement`.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.convert import convert_to_tensor, to_array
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.ragged import RaggedTensor
from tpuref.interface.data.sparse import SparseTensor, SparseTensorValue
from tpuref.interface.functions.optional import Optional

Item = tuple[Array, ...]
"""The arrays of one element."""


class SparseElement(SparseTensorValue):
    """The specs of a sparse tensor, and its static shape where that is declared."""

    shape: TensorShape | None = None


class RaggedElement(NamedTuple):
    """The parts of a ragged tensor, or their specs."""

    values: Any
    row_splits: Any


class NoElement(NamedTuple):
    """The parts of an optional that never has a value: none."""


class NoneElement(NamedTuple):
    """The parts of None: none."""


WHOLE = (SparseTensorValue, RaggedElement, NoElement, NoneElement)
"""The tuples that are one component."""


def mapped(
    structure: Any, function: Callable[[Any], Any], whole: tuple[type, ...] = ()
) -> Any:
    """Return the structure with `function` applied to each component.

    `whole` are classes of tuples that count as components.
    """
    if isinstance(structure, tuple) and not isinstance(structure, whole):
        parts = [mapped(part, function, whole) for part in structure]
        if not hasattr(structure, "_fields"):
            return tuple(parts)
        whole_again: Any = type(structure)(*parts)
        if isinstance(structure, SparseElement):
            whole_again.shape = structure.shape
        return whole_again
    if isinstance(structure, Mapping):
        result: Any = copy.copy(structure)
        for key in nest.sorted_keys(structure):
            result[key] = mapped(structure[key], function, whole)
        return result
    return function(structure)


def with_sparse(structure: Any, element: Any = None) -> Any:
    """Return the structure with composite values in the place of their tensors.

    `element` describes them, with static shapes.
    """
    wholes = mapped(structure, _whole_of, WHOLE)
    if element is not None:
        values = nest.flatten(wholes)
        for value, spec in zip(values, components_of(element), strict=True):
            if isinstance(spec, SparseElement) and spec.shape is not None:
                value.set_shape(spec.shape)
    return wholes


def _whole_of(part: Any) -> Any:
    if isinstance(part, SparseTensorValue):
        return SparseTensor(*part)
    if isinstance(part, RaggedElement):
        return RaggedTensor(*part)
    if isinstance(part, NoneElement):
        return None
    return Optional.empty(None) if isinstance(part, NoElement) else part


def without_sparse(structure: Any) -> Any:
    """Return the structure with tensors for each composite value."""
    return mapped(structure, parts_of)


def parts_of(leaf: Any) -> Any:
    """Return the tensors of a composite value, or the value itself."""
    if isinstance(leaf, SparseTensor):
        parts = SparseElement(*leaf._as_fetches())
        parts.shape = leaf.shape
        return parts
    if isinstance(leaf, RaggedTensor):
        return RaggedElement(leaf.values, leaf.row_splits)
    if leaf is None:
        return NoneElement()
    return NoElement() if isinstance(leaf, Optional) and leaf.is_blank else leaf


def components_of(element: Any) -> list[Any]:
    """Return the flat specs of the components; one tuple for a composite one."""
    components: list[Any] = []
    mapped(element, components.append, WHOLE)
    return components


def specs_of(element: Any) -> list[TensorSpec]:
    """Return the specs of the components, flat."""
    return nest.flatten(element)


def declared(caller: str, types: Any, shapes: Any) -> Any:
    """Return the specs that ``output_types`` and ``output_shapes`` describe."""
    if isinstance(types, tuple):
        own = _parts(caller, types, shapes)
        parts = [declared(caller, t, s) for t, s in zip(types, own, strict=True)]
        return type(types)(*parts) if hasattr(types, "_fields") else tuple(parts)
    if isinstance(types, Mapping):
        result: Any = copy.copy(types)
        for key in types:
            own_shapes = None if shapes is None else shapes[key]
            result[key] = declared(caller, types[key], own_shapes)
        return result
    try:
        shape = TensorShape(None) if shapes is None else as_shape(shapes)
        return TensorSpec(shape, as_dtype(types))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{caller}: output_types and output_shapes must give a dtype and a shape "
            f"for each component: {error}"
        ) from None


def _parts(caller: str, types: tuple[Any, ...], shapes: Any) -> Sequence[Any]:
    if shapes is None:
        return [None] * len(types)
    if not isinstance(shapes, tuple) or len(shapes) != len(types):
        raise codes.INVALID_ARGUMENT.type_error(
            f"{caller}: output_types is a tuple of {len(types)}, so output_shapes must "
            f"be a tuple of that many shapes, got {shapes!r}"
        )
    return shapes


def component(value: Any) -> Array | Tensor:
    """Return a component as an array, or as a tensor if it has no static value."""
    tensor = value
    if isinstance(value, (list, Tensor)) or hasattr(value, "_as_tensor"):
        tensor = convert_to_tensor(value)
    if not isinstance(tensor, Tensor):
        return to_array(value)
    known = tensor.operand().value
    return tensor if known is None else known


def spec_of(value: Array | Tensor) -> TensorSpec:
    """Return the shape and dtype of a component."""
    if isinstance(value, Tensor):
        return value.spec
    return TensorSpec(value.shape, as_dtype(value.dtype))


def row(array: Array, index: int) -> Array:
    """Return one row as an array, even if it is a scalar."""
    return array[index, ...]


def stacked(arrays: Sequence[Array]) -> Array:
    """Return arrays of equal shape stacked along a new dimension."""
    result = np.empty((len(arrays), *arrays[0].shape), arrays[0].dtype)
    for k, array in enumerate(arrays):
        result[k, ...] = array
    return result
