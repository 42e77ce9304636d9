"""The names under ``tf.contrib.training``."""

from __future__ import annotations

from tpuref.checkpoints.state import checkpoints_iterator
from tpuref.contrib.training import python
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["checkpoints_iterator", "python"]

_explain_missing(__name__, "tf.contrib.training")
