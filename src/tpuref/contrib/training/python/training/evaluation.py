"""Names of ``tensorflow.contrib.training.python.training.evaluation``."""

from __future__ import annotations

from tpuref.checkpoints.state import checkpoints_iterator
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["checkpoints_iterator"]

_explain_missing(__name__, "tf.contrib.training.python.training.evaluation")
