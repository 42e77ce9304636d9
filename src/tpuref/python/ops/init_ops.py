"""Names of ``tensorflow.python.ops.init_ops`` that programs import."""

from __future__ import annotations

from tpuref.functions.initializers import Constant as constant_initializer
from tpuref.functions.initializers import Ones as ones_initializer
from tpuref.functions.initializers import RandomNormal as random_normal_initializer
from tpuref.functions.initializers import RandomUniform as random_uniform_initializer
from tpuref.functions.initializers import (
    TruncatedNormal as truncated_normal_initializer,
)
from tpuref.functions.initializers import (
    VarianceScaling as variance_scaling_initializer,
)
from tpuref.functions.initializers import Zeros as zeros_initializer
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "variance_scaling_initializer",
    "zeros_initializer",
]

_explain_missing(__name__, "tf.python.ops.init_ops")
