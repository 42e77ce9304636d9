"""How often integers occur, and between which boundaries numbers lie."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, float32, int32
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import maximum, minimum
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones_like
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.logic import logical_and
from tpuref.interface.functions.reductions import reduce_max
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.segments import unsorted_segment_sum
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.functions.sorting import searchsorted


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Return how often each integer from 0 occurs.

    `arr` is int32 or int64, not negative; real numbers are truncated.  `weights` are
    numbers to add in place of 1, in the shape of `arr`; then the result has their
    dtype.  `minlength` and `maxlength` are the least and the largest length of the
    result; integers beyond are left out.  By default it ends with the largest integer.
    `dtype` is the dtype of the result without weights.  `axis` is None or 0 for all
    elements together, -1 for each row of a matrix.  `binary_output` says whether to
    return 1 for integers that occur at all.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.math.bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]
    """
    values = convert_to_tensor(arr)
    if values.dtype.is_floating:
        values = cast(values, int32)
    size = length_of(values, minlength, maxlength)
    target = as_dtype(dtype) if weights is None else convert_to_tensor(weights).dtype
    amounts = ones_like(values, target) if weights is None else weights
    rows: Any = None
    if axis == -1 and values.shape.rank == 2:
        rows = shape_of(values)[0]
        row = reshape(cast(numbers(rows), values.dtype), [-1, 1]) + 0 * values
    elif axis not in (None, 0, -1):
        raise coded(
            ValueError,
            f"tf.math.bincount: axis must be None, 0 or -1, got {axis!r}",
            code=codes.INVALID_ARGUMENT,
        )
    limit = cast(size, values.dtype)
    known = logical_and(values >= 0, values < limit)
    places = values if rows is None else row * limit + values
    places = where_v2(known, places, -1 * ones_like(values))
    flat = reshape(places, [-1])
    total = size if rows is None else size * rows
    counts = unsorted_segment_sum(
        reshape(convert_to_tensor(amounts, target), [-1]), flat, total
    )
    if binary_output:
        counts = cast(counts > 0, target)
    return counts if rows is None else reshape(counts, concat([[rows], [size]], 0))


def length_of(values: Tensor, minlength: Any, maxlength: Any) -> Any:
    """Return the length of counts: up to the largest integer, between two limits."""
    if isinstance(minlength, int) and minlength == maxlength:
        return minlength
    none = convert_to_tensor([-1], values.dtype)
    largest = reduce_max(concat([reshape(values, [-1]), none], 0))
    size = cast(largest, int32) + 1
    if minlength is not None:
        size = maximum(size, cast(convert_to_tensor(minlength), int32))
    if maxlength is not None:
        size = minimum(size, cast(convert_to_tensor(maxlength), int32))
    return size


def Bucketize(
    input: Any, boundaries: Sequence[float], name: str | None = None
) -> Tensor:
    """Return how many boundaries are not above each number, int32.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.raw_ops.Bucketize(input=[-1, 5, 99], boundaries=[0, 10]).numpy().tolist()
    [0, 1, 2]
    """
    tensor = convert_to_tensor(input)
    limits = convert_to_tensor(list(boundaries), float32)
    buckets = searchsorted(limits, reshape(cast(tensor, float32), [-1]), side="right")
    return reshape(cast(buckets, int32), shape_of(tensor))
