"""Reductions of the rows of each segment: the largest, the smallest, the product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tpuref.base.dtypes import int32
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.reductions import reduce_max

__all__ = [
    "segment_max",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
]

_WHAT = {
    "max": "largest elements",
    "min": "smallest elements",
    "prod": "product",
    "sum": "sum",
}


def _unsorted(reduction: str) -> Callable[..., Tensor]:
    def reduced(
        data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
    ) -> Tensor:
        rows, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        count = cast(num_segments, int32)
        attrs: dict[str, Any] = {"reduction": reduction, "name": name}
        return apply_one("UnsortedSegment", rows, ids, count, **attrs)

    reduced.__doc__ = f"Return the {_WHAT[reduction]} of the rows of each segment."
    return reduced


def _sorted(reduction: str) -> Callable[..., Tensor]:
    unsorted = _unsorted(reduction)

    def reduced(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
        ids = convert_to_tensor(segment_ids)
        return unsorted(data, ids, reduce_max(ids) + 1, name)

    reduced.__doc__ = (
        f"Return the {_WHAT[reduction]} of the rows of each segment, ids in order."
    )
    return reduced


unsorted_segment_max, unsorted_segment_min = _unsorted("max"), _unsorted("min")
unsorted_segment_prod = _unsorted("prod")
segment_max, segment_min = _sorted("max"), _sorted("min")
segment_prod, segment_sum = _sorted("prod"), _sorted("sum")
