"""Counts of integers, crossed features and sets, as sparse tensors."""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import bool_, int64
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.sparse import SparseTensor
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.counts import length_of
from tpuref.interface.functions.creation import ones_like
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.hashes import fingerprint, joined
from tpuref.interface.functions.host_functions import py_func
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.selection import where

HASH_KEY = 0xDECAFCAFFE


def bincount(
    values: Any,
    weights: Any = None,
    axis: int = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Return how often integers occur, in their dtype; those that do not are left out.

    Parameters are those of `tf.math.bincount`; `values` may be a sparse tensor, and
    `axis` -1 counts each row.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     counts = tf.sparse.bincount([[1, 1], [0, 2]], axis=-1)
    ...     tf.sparse.to_dense(counts).numpy().tolist()
    [[0, 2, 0], [1, 0, 1]]
    """
    sparse = isinstance(values, SparseTensor)
    flat = values.values if sparse else convert_to_tensor(values)
    rank = values.shape.rank if sparse else flat.shape.rank
    by_row = axis == -1 and rank == 2
    size = cast(length_of(flat, minlength, maxlength), int64)
    rows = values.dense_shape[0] if sparse else shape_of(flat, out_type=int64)[0]
    factors = [] if weights is None else [_plain(weights)]
    dtype = factors[0].dtype if factors else flat.dtype
    where = [values.indices] if sparse else []

    def count(items: Any, limit: Any, *more: Any) -> tuple[Array, Array]:
        items, rest = np.asarray(items), list(more)
        row = np.zeros(items.size, np.int64)
        if by_row:
            row = rest[0][:, 0] if sparse else np.repeat(*_rows_of(items))
        amounts = np.ravel(rest[-1]) if factors else np.ones(items.size, np.int64)
        kept = items.ravel() < limit
        pairs = np.stack([row, items.ravel()], 1)[kept].astype(np.int64)
        distinct, place = np.unique(pairs, axis=0, return_inverse=True)
        totals = np.zeros(len(distinct), dtype.np)
        np.add.at(totals, place.reshape(-1), amounts[kept])
        if binary_output:
            totals = np.ones_like(totals)
        return distinct if by_row else distinct[:, 1:], totals

    inputs = [flat, size, *where, *factors]
    indices, totals = py_func(count, inputs, [int64, dtype], name="SparseBincount")
    indices.set_shape([None, 2 if by_row else 1])
    totals.set_shape([None])
    shape = [cast(rows, int64), size] if by_row else [size]
    return SparseTensor(indices, totals, convert_to_tensor(shape, int64))


def _plain(weights: Any) -> Tensor:
    sparse = isinstance(weights, SparseTensor)
    return weights.values if sparse else convert_to_tensor(weights)


def _rows_of(items: Array) -> tuple[Array, int]:
    return np.arange(len(items)), items.shape[1]


def cross_hashed(
    inputs: Sequence[Any],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Return the hashes of all combinations of features, one of each input, int64.

    `inputs` are matrices of texts or integers, with one row for each example; sparse
    ones leave features out.  Hashes are taken modulo `num_buckets` if it is above 0,
    and begin with `hash_key`.
    """
    columns = [
        one if isinstance(one, SparseTensor) else _all_of(convert_to_tensor(one))
        for one in inputs
    ]
    start = HASH_KEY if hash_key is None else hash_key
    largest = num_buckets or 2**63 - 1

    def crossed(count: Any, *parts: Any) -> tuple[Array, Array, Array]:
        features: list[list[list[int]]] = [
            [[] for _ in columns] for _ in range(int(count))
        ]
        pairs = zip(parts[0::2], parts[1::2], strict=True)
        for column, (indices, values) in enumerate(pairs):
            for row, value in zip(indices[:, 0], values.tolist(), strict=True):
                features[row][column].append(_feature(value))
        rows = [
            [
                functools.reduce(joined, one, start) % largest
                for one in itertools.product(*row)
            ]
            for row in features
        ]
        places = [(k, place) for k, row in enumerate(rows) for place in range(len(row))]
        hashes = np.array([number for row in rows for number in row], np.int64)
        shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
        return np.array(places, np.int64).reshape(-1, 2), hashes, shape

    flat = [part for one in columns for part in (one.indices, one.values)]
    tensors = [columns[0].dense_shape[0], *flat]
    parts = py_func(crossed, tensors, [int64, int64, int64], name="SparseCross")
    for part, shape in zip(parts, ([None, 2], [None], [2]), strict=True):
        part.set_shape(shape)
    return SparseTensor(*parts)


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Return the elements that rows of two tensors share, each once, in order.

    Rows are those of the last axis, as in TensorFlow, and either tensor may be dense.
    `validate_indices` is accepted for compatibility.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     shared = tf.sets.intersection([[1, 2, 3]], [[3, 1, 5]])
    ...     shared.values.numpy().tolist()
    [1, 3]
    """
    first, second = (
        one if isinstance(one, SparseTensor) else _all_of(convert_to_tensor(one))
        for one in (a, b)
    )

    def shared(sizes: Any, *parts: Any) -> tuple[Array, Array, Array]:
        lists = [part.tolist() for part in parts]
        sets = [
            {(*place[:-1], item) for place, item in zip(*pair, strict=True)}
            for pair in (lists[:2], lists[2:])
        ]
        places, values = [], []
        for row, items in itertools.groupby(
            sorted(set.intersection(*sets)), lambda one: one[:-1]
        ):
            for place, (*_, item) in enumerate(items):
                places.append([*row, place])
                values.append(item)
        widest = max((place[-1] + 1 for place in places), default=0)
        indices = np.array(places, np.int64).reshape(-1, len(sizes))
        shape = np.array([*sizes[:-1], widest], np.int64)
        return indices, np.array(values, first.dtype.np), shape

    inputs = [first.dense_shape, first.indices, first.values]
    inputs += [second.indices, second.values]
    parts = py_func(shared, inputs, [int64, first.dtype, int64], name="SetIntersection")
    rank = first.shape.rank
    for part, shape in zip(parts, ([None, rank], [None], [rank]), strict=True):
        part.set_shape(shape)
    return SparseTensor(*parts)


def _all_of(dense: Tensor) -> SparseTensor:
    """Return a dense tensor as a sparse one with all its elements."""
    everywhere = where(ones_like(dense, bool_))
    sizes = shape_of(dense, out_type=int64)
    return SparseTensor(everywhere, reshape(dense, [-1]), sizes)


def _feature(value: Any) -> int:
    return fingerprint(value) if isinstance(value, bytes) else int(value) % 2**64
