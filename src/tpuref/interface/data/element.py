"""Handle the elements of a dataset: nested tuples and dicts; a list is one tensor.

An element is described by its structure, with a `TensorSpec` per component; stages pass
it on as the flat tuple of its arrays.  A sparse tensor is a `SparseTensorValue`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.dtypes import as_dtype, string
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.convert import convert_to_tensor, to_array
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.sparse import SparseTensor, SparseTensorValue

Item = tuple[Array, ...]
"""The arrays of one element."""


def mapped(
    structure: Any, function: Callable[[Any], Any], whole: type | tuple[()] = ()
) -> Any:
    """Return the structure with `function` applied to each component.

    `whole` is a class of tuples that count as components.
    """
    if isinstance(structure, tuple) and not isinstance(structure, whole):
        parts = [mapped(part, function, whole) for part in structure]
        named = hasattr(structure, "_fields")
        return type(structure)(*parts) if named else tuple(parts)
    if isinstance(structure, Mapping):
        result: Any = copy.copy(structure)
        for key in nest.sorted_keys(structure):
            result[key] = mapped(structure[key], function, whole)
        return result
    return function(structure)


def with_sparse(structure: Any) -> Any:
    """Return the structure with a `SparseTensor` for each three tensors of one."""
    return mapped(structure, _sparse_of, SparseTensorValue)


def _sparse_of(part: Any) -> Any:
    return SparseTensor(*part) if isinstance(part, SparseTensorValue) else part


def without_sparse(structure: Any) -> Any:
    """Return the structure with three tensors for each `SparseTensor`."""
    return mapped(structure, _parts_of)


def _parts_of(leaf: Any) -> Any:
    return leaf._as_fetches() if isinstance(leaf, SparseTensor) else leaf


def components_of(element: Any) -> list[Any]:
    """Return the flat specs of the components; one triple for a sparse tensor."""
    found: list[Any] = []
    mapped(element, found.append, SparseTensorValue)
    return found


def specs_of(element: Any) -> list[TensorSpec]:
    """Return the specs of the components, flat."""
    return nest.flatten(element)


def declared(caller: str, types: Any, shapes: Any) -> Any:
    """Return the specs that ``output_types`` and ``output_shapes`` describe."""
    if isinstance(types, tuple):
        own = _parts(caller, types, shapes)
        parts = [declared(caller, t, s) for t, s in zip(types, own, strict=True)]
        named = hasattr(types, "_fields")
        return type(types)(*parts) if named else tuple(parts)
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
    dtype = string if value.dtype == object else as_dtype(value.dtype)
    return TensorSpec(TensorShape(value.shape), dtype)


def row(array: Array, index: int) -> Array:
    """Return one row as an array, even if it is a scalar."""
    part: Array = array[index, ...]
    return part


def stacked(arrays: Sequence[Array]) -> Array:
    """Return arrays of equal shape stacked along a new dimension."""
    result = np.empty((len(arrays), *arrays[0].shape), arrays[0].dtype)
    for k, array in enumerate(arrays):
        result[k, ...] = array
    return result
