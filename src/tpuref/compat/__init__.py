"""The documented names under ``tf.compat``."""

from __future__ import annotations

import sys

from tpuref.compat import strategy_names, v1, v2
from tpuref.compat.dimensions import dimension_value
from tpuref.compat.texts import as_bytes, as_str, as_str_any, as_text
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "dimension_value",
    "strategy_names",
    "v1",
    "v2",
]

_explain_missing(__name__, "tf.compat")

# As in TensorFlow, where tf.compat.v1 imported as tf still has tf.compat.v1.
vars(v1)["compat"] = sys.modules[__name__]
