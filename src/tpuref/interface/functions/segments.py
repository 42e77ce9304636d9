"""Distinct values, sums of the rows that belong to each, and reversed sequences."""

from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import int32
from tpuref.engine.graph.build import apply_all, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import maximum
from tpuref.interface.functions.comparison import greater_equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.creation import zeros
from tpuref.interface.functions.extents import shape, size
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reshaping import expand_dims, reshape, transpose
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.functions.selection import where_v2


class Unique(NamedTuple):
    """The result of `unique`."""

    y: Tensor
    idx: Tensor


def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Unique:
    """Return the distinct values of a vector, in the order of their first occurrence.

    `x` is a vector of real numbers.  `out_idx` is the dtype of the positions, int32 or
    int64.  The results are the distinct values, and for each element of `x` the
    position of its value.  It raises ValueError if `x` is not a vector.

    Examples
    --------
    >>> y, idx = tf.Session().run(tf.unique([7, 3, 7]))
    >>> y.tolist(), idx.tolist()
    ([7, 3], [0, 1, 0])
    """
    values, places = apply_all("Unique", convert_to_tensor(x), name=name)
    return Unique(values, cast(places, out_idx))


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Return the sum of the rows of each segment.

    Segments without a row are zeros.  `data` holds numbers; the first dimensions are
    those of `segment_ids`.  `segment_ids` is the segment of each row, int32 or int64,
    below `num_segments`.  Rows with a negative segment are left out.  It raises
    ValueError if the shapes do not go together, and at run time
    `tf.errors.InvalidArgumentError` if a segment is not below `num_segments`.

    Examples
    --------
    >>> sums = tf.math.unsorted_segment_sum([[1.0], [2.0], [4.0]], [1, 0, 1], 3)
    >>> tf.Session().run(sums).tolist()
    [[2.0], [5.0], [0.0]]
    """
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    places = expand_dims(maximum(ids, 0), -1)
    outer = size(shape(ids)) if ids.shape.ndims is None else ids.shape.ndims
    part = shape(data)[outer:]
    if (known := ids.operand().value) is None or (known < 0).any():
        counted = reshape(greater_equal(ids, 0), concat([shape(ids), part * 0 + 1], 0))
        data = where_v2(counted, data, zeros([], data.dtype))
    count = reshape(cast(num_segments, int32), [1])
    return apply_one("ScatterNd", places, data, concat([count, part], 0), name=name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """Reverse the first elements of each sequence of a batch.

    `input` is a tensor of known rank.  `seq_lengths` is the number of elements to
    reverse in each sequence, a vector of integers.  `seq_axis` or `seq_dim` is the axis
    along which to reverse; `batch_axis` or `batch_dim` is the axis of the batch, by
    default 0.  It raises ValueError if the axis of the sequences is missing, or the
    rank is unknown.

    Examples
    --------
    >>> rows = tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1)
    >>> tf.Session().run(rows).tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    along = seq_dim if seq_axis is None else seq_axis
    batch = (batch_dim if batch_axis is None else batch_axis) or 0
    x = convert_to_tensor(input)
    if along is None or not x.shape.rank:
        raise ValueError(
            "tf.reverse_sequence: expected seq_axis and an input of a known rank of at "
            f"least 1, got {along} and {x.describe()}"
        )
    with name_scope(name, "ReverseSequence"):
        axes = [axis % x.shape.rank for axis in (batch, along)]
        order = axes + [k for k in range(x.shape.rank) if k not in axes]
        lengths = cast(seq_lengths, "int32")[:, None]
        places = numbers(shape(x)[axes[1]])[None, :]
        mirrored = where_v2(places < lengths, lengths - 1 - places, places)
        rows = gather(transpose(x, order), mirrored, axis=1, batch_dims=1)
        result = transpose(rows, np.argsort(order))
        result.set_shape(x.shape)
        return result


def reverse_sequence_v2(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return `reverse_sequence`, with the parameters of TensorFlow 2."""
    return reverse_sequence(input, seq_lengths, seq_axis, batch_axis, name)


class Counted(NamedTuple):
    """The result of `unique_with_counts`."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def unique_with_counts(
    x: Any, out_idx: Any = int32, name: str | None = None
) -> Counted:
    """Return the distinct values of a vector, and how often each occurs.

    Examples
    --------
    >>> tf.Session().run(tf.unique_with_counts([7, 3, 7]).count).tolist()
    [2, 1]
    """
    distinct = unique(x, out_idx, name)
    ones = distinct.idx * 0 + 1
    return Counted(
        *distinct, unsorted_segment_sum(ones, distinct.idx, size(distinct.y))
    )


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """Return where each number of a permutation stands.

    Examples
    --------
    >>> tf.Session().run(tf.math.invert_permutation([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    order = convert_to_tensor(x)
    places = cast(numbers(size(order)), order.dtype)
    return apply_one("ScatterNd", expand_dims(order, -1), places, shape(order))
