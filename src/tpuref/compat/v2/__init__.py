"""The namespaces under ``tf.compat.v2``, for programs that reach for TensorFlow 2."""

from __future__ import annotations

from tpuref import data as data
from tpuref import distribute as distribute
from tpuref import optimizers as optimizers
from tpuref import tpu as tpu
from tpuref.compat.v2 import summary
from tpuref.configuration import config as config
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces import io as io
from tpuref.namespaces import keras as keras
from tpuref.tracing.function import function

__all__ = [
    "config",
    "data",
    "distribute",
    "function",
    "io",
    "keras",
    "optimizers",
    "summary",
    "tpu",
]

_explain_missing(__name__, "tf.compat.v2")
