"""The names under ``tf.contrib.layers`` that programs for TPUs take."""

from __future__ import annotations

from tpuref.functions.initializers import (
    scaled_initializer as variance_scaling_initializer,
)
from tpuref.functions.initializers import (
    xavier_initializer,
)
from tpuref.functions.initializers import (
    xavier_initializer as xavier_initializer_conv2d,
)
from tpuref.layers.fully_connected import fully_connected
from tpuref.layers.layer_norm import layer_norm
from tpuref.layers.regularizers import l1_regularizer, l2_regularizer
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "fully_connected",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

_explain_missing(__name__, "tf.contrib.layers")
