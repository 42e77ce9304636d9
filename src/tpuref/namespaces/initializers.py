"""The names under ``tf.initializers``."""

from __future__ import annotations

from tpuref.functions.initializers import Constant as constant
from tpuref.functions.initializers import GlorotNormal as glorot_normal
from tpuref.functions.initializers import GlorotUniform as glorot_uniform
from tpuref.functions.initializers import Identity as identity
from tpuref.functions.initializers import Ones as ones
from tpuref.functions.initializers import Orthogonal as orthogonal
from tpuref.functions.initializers import RandomNormal as random_normal
from tpuref.functions.initializers import RandomUniform as random_uniform
from tpuref.functions.initializers import (
    TruncatedNormal,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from tpuref.functions.initializers import TruncatedNormal as truncated_normal
from tpuref.functions.initializers import VarianceScaling as variance_scaling
from tpuref.functions.initializers import Zeros as zeros
from tpuref.functions.variable_scope import (
    global_variables_initializer as global_variables,
)
from tpuref.functions.variable_scope import (
    local_variables_initializer as local_variables,
)
from tpuref.functions.variable_scope import tables_initializer
from tpuref.functions.variable_scope import variables_initializer as variables
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "TruncatedNormal",
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "tables_initializer",
    "truncated_normal",
    "variables",
    "variance_scaling",
    "zeros",
]

_explain_missing(__name__, "tf.initializers")
