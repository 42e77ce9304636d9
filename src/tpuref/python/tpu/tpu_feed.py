"""Names of ``tensorflow.python.tpu.tpu_feed`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.infeed_queue import InfeedQueue

__all__ = [
    "InfeedQueue",
]

_explain_missing(__name__, "tf.python.tpu.tpu_feed")
