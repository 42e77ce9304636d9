"""The names under ``tf.compat.v2.linalg`` that differ from 1.x."""

# ruff: noqa: F401 - a list of names

from tpuref.functions.linalg import matmul_v2 as matmul
from tpuref.functions.linalg import norm_v2 as norm
