"""The names under ``tf.contrib.data``."""

from __future__ import annotations

from tpuref.data.fused import (
    AUTOTUNE,
    batch_and_drop_remainder,
    map_and_batch,
    parallel_interleave,
    shuffle_and_repeat,
)
from tpuref.data.sampling import choose_from_datasets, sample_from_datasets
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "AUTOTUNE",
    "batch_and_drop_remainder",
    "choose_from_datasets",
    "map_and_batch",
    "parallel_interleave",
    "sample_from_datasets",
    "shuffle_and_repeat",
]

_explain_missing(__name__, "tf.contrib.data")
