"""Gradients of slicing, gathering, scattering and sorting."""

from typing import Any

import numpy as np

from tpuref.engine.ops.broadcasting import normalize_axis
from tpuref.engine.ops.derivatives import rule


def _slice(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Return the gradient padded with zeros."""
    x, begin, _ = op.inputs
    sizes, taken = (
        rule.of_dtype(apply, rule.shape_of(apply, t), begin) for t in (x, dy)
    )
    paddings = apply("Pack", begin, sizes - begin - taken, axis=1)
    return apply("PadV2", dy, paddings, rule.number(0, dy)), None, None


def _gather(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Return sparse rows for axis 0, else the dense gradient."""
    params, _indices = op.inputs
    axis = op.attrs["axis"]
    if op.attrs["batch_dims"] or (
        axis and normalize_axis(axis, rule.rank_of(op, params))
    ):
        return rule.selection(apply, op, dy)
    return _used_rows(apply, op, dy), None


def _used_rows(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Rows:
    """Return the gradient of a table as its used rows."""
    params, indices = op.inputs
    places = rule.flat(apply, indices)
    row: Any = params.shape[1:]
    if params.shape.rank is not None and row.is_fully_defined() and 0 not in row:
        shape: Any = np.array([-1, *row.as_tuple()], np.int32)
    else:  # -1 cannot infer the number of rows that have no elements
        row = rule.shape_of(apply, params)[1:]
        shape = apply("ConcatV2", rule.shape_of(apply, places), row, axis=0)
    return rule.Rows(apply("Reshape", dy, shape), places)


# -- arrays of tensors -------------------------------------------------------------


def _array_read(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return _used_rows(apply, op, dy), None


def _array_write(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Return zeros for overwritten elements, which are not in the result."""
    elements, indices, _ = op.inputs
    rows = apply("TensorArrayRead", dy, indices)

    def before() -> rule.Tensor:
        zeros = rule.zeros_like(apply, rows)
        rest = apply("TensorArrayWrite", dy, indices, zeros, grows=False)
        if not op.attrs["grows"] or elements.shape.rank is None:
            return rest
        return rest[: rule.shape_of(apply, elements)[0]]

    return before, None, rows


# -- scattering --------------------------------------------------------------------


def _read_at(apply: rule.Apply, dy: rule.Tensor, indices: rule.Tensor) -> rule.Tensor:
    return apply("GatherNd", dy, indices, batch_dims=0)


def _scatter_nd(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return None, _read_at(apply, dy, op.inputs[0]), None


def _scatter_update(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Return zeros for overwritten elements, which are not in the result."""
    _, indices, updates = op.inputs
    return (
        lambda: apply(
            "TensorScatterUpdate", dy, indices, rule.zeros_like(apply, updates)
        ),
        None,
        lambda: _read_at(apply, dy, indices),
    )


def _scatter_add(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return dy, None, lambda: _read_at(apply, dy, op.inputs[1])


def _scatter_sub(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return dy, None, lambda: -_read_at(apply, dy, op.inputs[1])


def _scatter_extreme(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Divide the gradient of an element among the operands that are equal to it."""
    tensor, indices, updates = op.inputs
    result, dtype = op.outputs[0], {"dtype": dy.dtype.name}
    own = apply("Cast", apply("Equal", tensor, result), **dtype)
    at = apply("Equal", updates, _read_at(apply, result, indices))
    theirs = apply("Cast", at, **dtype)
    share = dy / apply("TensorScatterAdd", own, indices, theirs)
    return share * own, None, lambda: _read_at(apply, share, indices) * theirs


# -- sorting -----------------------------------------------------------------------


def _sort(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    values = op.inputs[0]
    order = apply("ArgSort", values, **op.attrs)
    return _scatter_by_order(apply, dy, order, values, op.attrs["axis"])


def _top_k(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor, _: rule.Tensor) -> Any:
    return _scatter_by_order(apply, dy, op.outputs[1], op.inputs[0], -1), None


def _scatter_by_order(
    apply: rule.Apply,
    dy: rule.Tensor,
    order: rule.Tensor,
    values: rule.Tensor,
    axis: int,
) -> rule.Tensor:
    places = apply("TakeAlongAxis", rule.numbered(apply, values), order, axis=axis)
    return rule.added_at(apply, dy, places, values)


RULES: dict[str, rule.Rule] = {
    "StridedSlice": rule.selection,
    "Slice": _slice,
    "GatherV2": _gather,
    "TakeAlongAxis": rule.selection,
    "GatherNd": rule.selection,
    "ScatterNd": _scatter_nd,
    "TensorArrayRead": _array_read,
    "TensorArrayWrite": _array_write,
    "TensorScatterUpdate": _scatter_update,
    "TensorScatterAdd": _scatter_add,
    "TensorScatterSub": _scatter_sub,
    "TensorScatterMax": _scatter_extreme,
    "TensorScatterMin": _scatter_extreme,
    "Sort": _sort,
    "TopKV2": _top_k,
    **dict.fromkeys(
        ("ArgSort", "InTopKV2", "SearchSorted", "Unique"), rule.not_differentiable
    ),
}
