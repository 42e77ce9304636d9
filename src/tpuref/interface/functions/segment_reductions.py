"""Reductions of the rows of each segment: the largest, the smallest, the product."""

from typing import Any

from tpuref.base.dtypes import int32
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.reductions import reduce_max


def _reduce_unsorted(
    reduction: str, data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Tensor:
    rows, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    count = cast(num_segments, int32)
    attrs: dict[str, Any] = {"reduction": reduction, "name": name}
    return apply_one("UnsortedSegment", rows, ids, count, **attrs)


def _reduce_sorted(
    reduction: str, data: Any, segment_ids: Any, name: str | None
) -> Tensor:
    ids = convert_to_tensor(segment_ids)
    return _reduce_unsorted(reduction, data, ids, reduce_max(ids) + 1, name)


def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Return the largest elements of the rows of each segment.

    Negative ids are left out; a segment without rows has the lowest number.

    Examples
    --------
    >>> found = tf.math.unsorted_segment_max([3, 1, 2], [1, 0, 1], num_segments=2)
    >>> tf.Session().run(found).tolist()
    [1, 3]
    """
    return _reduce_unsorted("max", data, segment_ids, num_segments, name)


def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Return the smallest elements of the rows of each segment."""
    return _reduce_unsorted("min", data, segment_ids, num_segments, name)


def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Return the product of the rows of each segment."""
    return _reduce_unsorted("prod", data, segment_ids, num_segments, name)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Return the largest elements of each segment of rows, with sorted ids."""
    return _reduce_sorted("max", data, segment_ids, name)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Return the smallest elements of each segment of rows, with sorted ids."""
    return _reduce_sorted("min", data, segment_ids, name)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Return the product of each segment of rows, with sorted ids."""
    return _reduce_sorted("prod", data, segment_ids, name)


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Return the sum of each segment of rows, with sorted ids."""
    return _reduce_sorted("sum", data, segment_ids, name)
