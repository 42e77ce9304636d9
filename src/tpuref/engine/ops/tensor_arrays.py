"""Operations on the elements of a ``tf.TensorArray``: rows, by index.

An array whose element shape is not yet known is blank: it has a row of shape `BLANK`
for each element.  The first write sets the element shape.
"""

from functools import partial
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.broadcasting import INDEX, require_kind, require_same_dtype
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array

BLANK = (0,) * 8
"""The shape of an element without a shape: one that no element of a program has."""


def is_blank(shape: TensorShape) -> bool:
    """Return whether the elements may be blank."""
    return shape.rank is None or shape.as_tuple()[1:] == BLANK


def _infer_write(
    elements: Operand, indices: Operand, rows: Operand, *, grows: bool
) -> TensorSpec:
    dtype = require_same_dtype(elements, rows)
    require_kind(indices, INDEX)
    known, own = elements.shape, _row_shape(indices, rows)
    may_be_blank = is_blank(known) or known.as_tuple()[1:] == (None,) * len(BLANK)
    shape = own if may_be_blank else known[1:].merge_with(own)
    size = None if grows or known.rank is None else known.as_tuple()[0]
    return TensorSpec(TensorShape([size]).concatenate(shape), dtype)


def _row_shape(indices: Operand, rows: Operand) -> TensorShape:
    if indices.shape.rank is None or rows.shape.rank is None:
        return unknown_shape()
    count = indices.shape.rank
    indices.shape.merge_with(rows.shape[:count])
    return rows.shape[count:]


def _write(elements: Array, indices: Array, rows: Array, *, grows: bool) -> Array:
    row = rows.shape[indices.ndim :]
    size = max(len(elements), _count(indices)) if grows else len(elements)
    _check_indices(indices, size)
    check_row(elements, row)
    blank = b"" if elements.dtype == object else 0
    result = np.full((size, *row), blank, elements.dtype)
    if elements.shape[1:] == row:
        result[: len(elements)] = elements
    result[indices, ...] = rows
    return result


def check_row(elements: Any, row: tuple[int, ...]) -> None:
    """Raise InvalidArgumentError unless an element may have the shape `row`."""
    if elements.shape[1:] not in (row, BLANK):
        raise InvalidArgumentError(
            f"an element of shape {list(row)} was written to a tf.TensorArray whose "
            f"elements have shape {list(elements.shape[1:])}; they must be equal, so "
            "pad the elements (tf.pad)",
            code=codes.SHAPES_DIFFER,
        )


def _count(indices: Array) -> int:
    return int(indices.max()) + 1 if indices.size else 0


def _infer_read(elements: Operand, indices: Operand) -> TensorSpec:
    require_kind(indices, INDEX)
    if is_blank(elements.shape) or indices.shape.rank is None:
        return TensorSpec(unknown_shape(), elements.dtype)
    return TensorSpec(indices.shape.concatenate(elements.shape[1:]), elements.dtype)


def _read(elements: Array, indices: Array) -> Any:
    _check_indices(indices, len(elements))
    if elements.shape[1:] == BLANK and indices.size:
        raise InvalidArgumentError(
            f"element {indices.flat[0]} of a tf.TensorArray is read, but nothing was "
            "written to the array; write to it first (in a graph, go on with what "
            "write returns), or give element_shape= to read zeros",
            code=codes.UNINITIALIZED,
        )
    return elements[indices, ...]


def _check_indices(indices: Array, size: int) -> None:
    wrong = indices[(indices < 0) | (indices >= size)]
    if wrong.size:
        raise InvalidArgumentError(
            f"index {wrong.flat[0]} is out of range for a tf.TensorArray of size "
            f"{size}; give it a larger size, or dynamic_size=True to let it grow",
            code=codes.INDEX_OUT_OF_RANGE,
        )


_op = partial(OpDef, gradient="indexing", xla="tensor_arrays")

OPERATIONS: tuple[OpDef, ...] = (
    _op("TensorArrayWrite", infer=_infer_write, compute=_write),
    _op("TensorArrayRead", infer=_infer_read, compute=_read),
)
