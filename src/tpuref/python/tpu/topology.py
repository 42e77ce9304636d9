"""Names of ``tensorflow.python.tpu.topology`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.runtime.topology import Topology

__all__ = [
    "Topology",
]

_explain_missing(__name__, "tf.python.tpu.topology")
