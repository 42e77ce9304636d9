"""Gradients of slicing, gathering, scattering and sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from tpuref.engine.ops.broadcasting import normalize_axis
from tpuref.engine.ops.derivatives.rule import (
    Applied,
    Apply,
    Rows,
    Rule,
    Tensor,
    added_at,
    flat,
    not_differentiable,
    number,
    numbered,
    of_dtype,
    rank_of,
    selection,
    shape_of,
    zeros_like,
)


def _slice(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return the gradient padded with zeros."""
    x, begin, _ = op.inputs
    sizes, taken = (of_dtype(apply, shape_of(apply, t), begin) for t in (x, dy))
    paddings = apply("Pack", begin, sizes - begin - taken, axis=1)
    return apply("PadV2", dy, paddings, number(0, dy)), None, None


def _gather(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return sparse rows for axis 0, else the dense gradient."""
    params, _indices = op.inputs
    axis = op.attrs["axis"]
    if op.attrs["batch_dims"] or (axis and normalize_axis(axis, rank_of(op, params))):
        return selection(apply, op, dy)
    return _used_rows(apply, op, dy), None


def _used_rows(apply: Apply, op: Applied, dy: Tensor) -> Rows:
    """Return the gradient of a table as its used rows."""
    params, indices = op.inputs
    places = flat(apply, indices)
    row: Any = params.shape[1:]
    if params.shape.rank is not None and row.is_fully_defined() and 0 not in row:
        shape: Any = np.array([-1, *row.as_tuple()], np.int32)
    else:  # -1 cannot infer the number of rows that have no elements
        row = shape_of(apply, params)[1:]
        shape = apply("ConcatV2", shape_of(apply, places), row, axis=0)
    return Rows(apply("Reshape", dy, shape), places)


# -- arrays of tensors -------------------------------------------------------------


def _array_read(apply: Apply, op: Applied, dy: Tensor) -> Any:
    return _used_rows(apply, op, dy), None


def _array_write(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return zeros for overwritten elements, which are not in the result."""
    elements, indices, _ = op.inputs
    rows = apply("TensorArrayRead", dy, indices)

    def before() -> Tensor:
        zeros = zeros_like(apply, rows)
        rest = apply("TensorArrayWrite", dy, indices, zeros, grows=False)
        if not op.attrs["grows"] or elements.shape.rank is None:
            return rest
        return rest[: shape_of(apply, elements)[0]]

    return before, None, rows


# -- scattering --------------------------------------------------------------------


def _read_at(apply: Apply, dy: Tensor, indices: Tensor) -> Tensor:
    return apply("GatherNd", dy, indices, batch_dims=0)


def _scatter_nd(apply: Apply, op: Applied, dy: Tensor) -> Any:
    return None, _read_at(apply, dy, op.inputs[0]), None


def _scatter_update(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return zeros for overwritten elements, which are not in the result."""
    _, indices, updates = op.inputs
    return (
        lambda: apply("TensorScatterUpdate", dy, indices, zeros_like(apply, updates)),
        None,
        lambda: _read_at(apply, dy, indices),
    )


def _scatter_add(apply: Apply, op: Applied, dy: Tensor) -> Any:
    return dy, None, lambda: _read_at(apply, dy, op.inputs[1])


def _scatter_sub(apply: Apply, op: Applied, dy: Tensor) -> Any:
    return dy, None, lambda: -_read_at(apply, dy, op.inputs[1])


# -- sorting -----------------------------------------------------------------------


def _sort(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    values = op.inputs[0]
    order = apply("ArgSort", values, **op.attrs)
    return _scatter_by_order(apply, dy, order, values, op.attrs["axis"])


def _top_k(apply: Apply, op: Applied, dy: Tensor, _: Tensor) -> Any:
    return _scatter_by_order(apply, dy, op.outputs[1], op.inputs[0], -1), None


def _scatter_by_order(
    apply: Apply, dy: Tensor, order: Tensor, values: Tensor, axis: int
) -> Tensor:
    places = apply("TakeAlongAxis", numbered(apply, values), order, axis=axis)
    return added_at(apply, dy, places, values)


RULES: dict[str, Rule] = {
    "StridedSlice": selection,
    "Slice": _slice,
    "GatherV2": _gather,
    "TakeAlongAxis": selection,
    "GatherNd": selection,
    "ScatterNd": _scatter_nd,
    "TensorArrayRead": _array_read,
    "TensorArrayWrite": _array_write,
    "TensorScatterUpdate": _scatter_update,
    "TensorScatterAdd": _scatter_add,
    "TensorScatterSub": _scatter_sub,
    "Sort": _sort,
    "TopKV2": _top_k,
    **dict.fromkeys(
        ("ArgSort", "InTopKV2", "SearchSorted", "Unique"), not_differentiable
    ),
}
