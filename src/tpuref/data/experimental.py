"""The names under ``tf.data.experimental``."""

from __future__ import annotations

from tpuref.data.fused import (
    AUTOTUNE,
    map_and_batch,
    parallel_interleave,
    shuffle_and_repeat,
)
from tpuref.data.options import (
    AutoShardPolicy,
    DistributeOptions,
    ThreadingOptions,
)
from tpuref.data.sampling import choose_from_datasets, sample_from_datasets
from tpuref.data.single_element import get_single_element
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "AUTOTUNE",
    "AutoShardPolicy",
    "DistributeOptions",
    "ThreadingOptions",
    "choose_from_datasets",
    "get_single_element",
    "map_and_batch",
    "parallel_interleave",
    "sample_from_datasets",
    "shuffle_and_repeat",
]

_explain_missing(__name__, "tf.data.experimental")
