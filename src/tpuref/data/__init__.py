"""Input pipelines: ``tf.data``.

See 001_66db0865fe92828f.txt, distribute_dataset and run_steps_on_dataset.
"""

from __future__ import annotations

from tpuref.data import experimental
from tpuref.data.dataset import Dataset
from tpuref.data.fused import (
    AUTOTUNE,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from tpuref.data.iterator import Iterator
from tpuref.data.options import Options
from tpuref.data.record_files import (
    FixedLengthRecordDataset,
    TextLineDataset,
    TFRecordDataset,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "experimental",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]


_explain_missing(__name__, "tf.data")
