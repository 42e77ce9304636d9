"""Names of ``tensorflow.python`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python import (
    client,
    data,
    estimator,
    framework,
    ops,
    platform,
    pywrap_tensorflow,
    tpu,
    training,
    util,
)

__all__ = [
    "client",
    "data",
    "estimator",
    "framework",
    "ops",
    "platform",
    "pywrap_tensorflow",
    "tpu",
    "training",
    "util",
]

_explain_missing(__name__, "tf.python")
