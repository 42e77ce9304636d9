"""Names of ``tensorflow.python.tpu.training_loop`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.training_loop import repeat, while_loop

__all__ = [
    "repeat",
    "while_loop",
]

_explain_missing(__name__, "tf.python.tpu.training_loop")
