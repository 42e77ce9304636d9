"""The documented names under ``tf.compat``."""

from __future__ import annotations

import sys

from tpuref.compat import strategy_names, v1
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["strategy_names", "v1"]

_explain_missing(__name__, "tf.compat")

# As in TensorFlow, where tf.compat.v1 imported as tf still has tf.compat.v1.
vars(v1)["compat"] = sys.modules[__name__]
