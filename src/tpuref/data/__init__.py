"""Input pipelines: ``tf.data``.

See 001_66db0865fe92828f.txt, distribute_dataset and run_steps_on_dataset.
"""

from __future__ import annotations

from tpuref.data.dataset import Dataset
from tpuref.data.iterator import Iterator
from tpuref.data.record_files import (
    FixedLengthRecordDataset,
    TextLineDataset,
    TFRecordDataset,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "TFRecordDataset",
    "TextLineDataset",
]


_explain_missing(__name__, "tf.data")
