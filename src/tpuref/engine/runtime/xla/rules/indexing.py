"""Slices, gather and scatter; data-dependent positions are checked during the run."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.ops.broadcasting import normalize_axis
from tpuref.engine.ops.indexing import check_batch
from tpuref.engine.ops.registry import REGISTRY
from tpuref.engine.runtime.xla.rules import Check, Rule

Flags = list[tuple[Any, str, str]]

# -- slices ------------------------------------------------------------------------


def _strided_slice(xp: Any, x: Any, *bounds: Any, key: Any) -> Any:
    """Take single rows at data-dependent positions, then the static part."""
    rank, axis = len(x.shape), 0
    used = sum(item[0] in ("index", "slice") for item in key)
    rest, known = [], list(bounds)
    for item in key:
        if item[0] == "index" and isinstance(item[1], tuple):
            number = item[1][1]
            if not isinstance(bounds[number], np.ndarray):
                x, known[number] = _row(x, bounds[number], axis), 0
                item = ("slice", None, None, None)
        if item[0] != "newaxis":
            axis += rank - used if item[0] == "ellipsis" else 1
        rest.append(item)
    meaning = REGISTRY["StridedSlice"].meaning
    assert meaning is not None
    taken = meaning(xp, x, *known, key=tuple(rest))
    return xp.squeeze(taken, _squeezed_axes(key, rest, rank))


def _row(x: Any, position: Any, axis: int) -> Any:
    """Return the row at a position, keeping its axis."""
    at = jnp.where(position < 0, position + x.shape[axis], position)
    return jax.lax.dynamic_slice_in_dim(jnp.asarray(x), at, 1, axis)


def _squeezed_axes(key: Any, rest: Any, rank: int) -> tuple[int, ...]:
    """Return the axes that single rows leave to remove."""
    used = sum(item[0] in ("index", "slice") for item in key)
    axis, axes = 0, []
    for asked, item in zip(key, rest, strict=True):
        if asked[0] == "index" and item[0] == "slice":
            axes.append(axis)
        if item[0] == "ellipsis":
            axis += rank - used
        elif item[0] != "index":
            axis += 1
    return tuple(axes)


def _check_strided_slice(x: Any, *bounds: Any, key: Any) -> Flags:
    used = sum(item[0] in ("index", "slice") for item in key)
    axis, flags = 0, []
    for item in key:
        if item[0] == "ellipsis":
            axis += len(x.shape) - used
            continue
        if item[0] == "index" and isinstance(item[1], tuple):
            position = bounds[item[1][1]]
            if not isinstance(position, np.ndarray):
                flags += _outside(position, -x.shape[axis], x.shape[axis], axis)
        axis += item[0] != "newaxis"
    return flags


def _slice(xp: Any, x: Any, begin: Any, size: Any) -> Any:
    if isinstance(begin, np.ndarray):
        meaning = REGISTRY["Slice"].meaning
        assert meaning is not None
        return meaning(xp, x, begin, size)
    wanted = [int(n) for n in size]
    if -1 in wanted:
        wanted = [int(n) for n in jnp.asarray(x.shape) - begin]  # data decide a size
    starts = [begin[k] for k in range(len(wanted))]
    return jax.lax.dynamic_slice(jnp.asarray(x), starts, wanted)


def _check_slice(x: Any, begin: Any, size: Any) -> Flags:
    if isinstance(begin, np.ndarray) or not isinstance(size, np.ndarray):
        return []
    wrong = (begin < 0) | (begin + size > np.asarray(x.shape))
    message = f"begin and size {size.tolist()} lead beyond the shape {list(x.shape)}"
    return [(jnp.any(wrong), codes.INVALID_OPERANDS, message)]


# -- gather ------------------------------------------------------------------------


def _outside(indices: Any, low: int, size: int, axis: int) -> Flags:
    """Return a flag: whether any position is not in [low, size)."""
    wrong = jnp.any((indices < low) | (indices >= size))
    message = (
        f"an index is out of range for axis {axis} of size {size}; expected {low} <= "
        f"index < {size}"
    )
    return [(wrong, codes.INDEX_OUT_OF_RANGE, message)]


def _gather(xp: Any, params: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:
    axis = normalize_axis(axis, len(params.shape))
    check_batch(params, indices, batch_dims)

    def take(params: Any, indices: Any) -> Any:
        return _take(params, indices, axis - batch_dims)

    for _ in range(batch_dims):
        take = jax.vmap(take)
    return take(jnp.asarray(params), jnp.asarray(indices))


def _take(params: Any, indices: Any, axis: int) -> Any:
    if not params.shape[axis]:  # a position in nothing is wrong, and was noted
        sizes = *params.shape[:axis], *indices.shape, *params.shape[axis + 1 :]
        return jnp.zeros(sizes, params.dtype)
    return jnp.take(params, indices, axis, mode="clip")


def _check_gather(params: Any, indices: Any, *, axis: int, batch_dims: int) -> Flags:
    axis = normalize_axis(axis, len(params.shape))
    return _outside(indices, 0, params.shape[axis], axis)


def _take_along_axis(xp: Any, x: Any, indices: Any, *, axis: int) -> Any:
    at = jnp.where(indices < 0, indices + x.shape[axis], indices)
    return jnp.take_along_axis(x, at.astype(np.int64), axis, mode="clip")


def _check_take_along_axis(x: Any, indices: Any, *, axis: int) -> Flags:
    size = x.shape[axis]
    return _outside(indices, -size, size, axis)


# -- whole positions ----------------------------------------------------------------


def _rows(indices: Any, shape: Sequence[int]) -> tuple[Any, tuple[int, ...]]:
    """Return the row numbers of the positions, and the shape [rows, part]."""
    depth = indices.shape[-1]
    rows = jnp.zeros(indices.shape[:-1], np.int64)
    for axis in range(depth):
        rows = rows * shape[axis] + indices[..., axis]
    return rows, (math.prod(shape[:depth]), *shape[depth:])


def _outside_shape(indices: Any, shape: Sequence[int]) -> Flags:
    return [
        flag
        for axis in range(indices.shape[-1])
        for flag in _outside(indices[..., axis], 0, shape[axis], axis)
    ]


def _gather_nd(xp: Any, params: Any, indices: Any, *, batch_dims: int) -> Any:
    check_batch(params, indices, batch_dims)

    def take(params: Any, indices: Any) -> Any:
        rows, flat = _rows(indices, params.shape)
        return _take(params.reshape(flat), rows, 0)

    for _ in range(batch_dims):
        take = jax.vmap(take)
    return take(jnp.asarray(params), jnp.asarray(indices))


def _check_gather_nd(params: Any, indices: Any, *, batch_dims: int) -> Flags:
    return _outside_shape(indices, params.shape[batch_dims:])


def _rows_at(tensor: Any, indices: Any, updates: Any) -> Any:
    """Return the rows of the tensor at the positions, which the updates have to fit."""
    rows, flat = _rows(indices, tensor.shape)
    expected = (*rows.shape, *flat[1:])
    if updates.shape != expected:
        raise ValueError(f"updates: expected shape {expected}")
    return tensor.reshape(flat).at[rows]


def _scatter_sum(tensor: Any, indices: Any, updates: Any) -> Any:
    # JAX adds no bools; as integers their sum is true where one of them is.
    wide = jnp.int32 if tensor.dtype == bool else widened
    at = _rows_at(wide(jnp.asarray(tensor)), indices, updates)
    return at.add(wide(updates)).reshape(tensor.shape).astype(tensor.dtype)


def _scatter_nd(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    return _scatter_sum(
        jnp.zeros([int(n) for n in shape], updates.dtype), indices, updates
    )


def _scatter(method: str) -> Rule:
    """Return the rule that changes the rows at the positions by a method of JAX."""

    def scatter(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
        at = _rows_at(jnp.asarray(tensor), indices, updates)
        return getattr(at, method)(updates).reshape(tensor.shape)

    return scatter


def _scatter_add(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    return _scatter_sum(tensor, indices, updates)


def _scatter_sub(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    return _scatter_sum(tensor, indices, jnp.negative(updates))


def _check_scatter_nd(indices: Any, updates: Any, shape: Any) -> Flags:
    return _outside_shape(indices, [int(n) for n in shape])


def _check_scatter(tensor: Any, indices: Any, updates: Any) -> Flags:
    return _outside_shape(indices, tensor.shape)


# -- losses by class ------------------------------------------------------------------


def _sparse_cross_entropy(xp: Any, logits: Any, labels: Any) -> Any:
    if labels.shape != logits.shape[:-1]:
        raise ValueError("expected one label for each row of logits")
    log_softmax = REGISTRY["LogSoftmax"].meaning
    assert log_softmax is not None
    surprise = -log_softmax(xp, widened(jnp.asarray(logits)), axis=-1)
    chosen = jnp.expand_dims(labels, -1).astype(np.int64)
    loss = jnp.take_along_axis(surprise, chosen, -1, mode="clip")[..., 0]
    return loss.astype(logits.dtype)


def _check_labels(logits: Any, labels: Any) -> Flags:
    classes = logits.shape[-1]
    wrong = jnp.any((labels < 0) | (labels >= classes))
    message = f"a label is no class; expected 0 <= label < {classes}"
    return [(wrong, codes.INVALID_OPERANDS, message)]


RULES: dict[str, Rule] = {
    "StridedSlice": _strided_slice,
    "Slice": _slice,
    "GatherV2": _gather,
    "TakeAlongAxis": _take_along_axis,
    "GatherNd": _gather_nd,
    "ScatterNd": _scatter_nd,
    "TensorScatterUpdate": _scatter("set"),
    "TensorScatterAdd": _scatter_add,
    "TensorScatterSub": _scatter_sub,
    "TensorScatterMax": _scatter("max"),
    "TensorScatterMin": _scatter("min"),
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
}

CHECKS: dict[str, Check] = {
    "StridedSlice": _check_strided_slice,
    "Slice": _check_slice,
    "GatherV2": _check_gather,
    "TakeAlongAxis": _check_take_along_axis,
    "GatherNd": _check_gather_nd,
    "ScatterNd": _check_scatter_nd,
    "TensorScatterUpdate": _check_scatter,
    "TensorScatterAdd": _check_scatter,
    "TensorScatterSub": _check_scatter,
    "TensorScatterMax": _check_scatter,
    "TensorScatterMin": _check_scatter,
    "SparseSoftmaxCrossEntropyWithLogits": _check_labels,
}
