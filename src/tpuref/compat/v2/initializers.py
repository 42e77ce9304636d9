"""The names under ``tf.compat.v2.initializers`` that differ from 1.x."""

# ruff: noqa: F401 - a list of names

from tpuref.functions.initializers import ConstantV2 as Constant
from tpuref.functions.initializers import ConstantV2 as constant
from tpuref.functions.initializers import RandomNormalV2 as RandomNormal
from tpuref.functions.initializers import RandomNormalV2 as random_normal
from tpuref.functions.initializers import RandomUniformV2 as RandomUniform
from tpuref.functions.initializers import RandomUniformV2 as random_uniform
from tpuref.functions.initializers import TruncatedNormalV2 as TruncatedNormal
from tpuref.functions.initializers import TruncatedNormalV2 as truncated_normal
