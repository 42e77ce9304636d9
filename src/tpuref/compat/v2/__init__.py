"""The namespaces under ``tf.compat.v2``, for programs that reach for TensorFlow 2."""

# ruff: noqa: F401 - a list of names

from __future__ import annotations

from tpuref import data as data
from tpuref import distribute as distribute
from tpuref import optimizers as optimizers
from tpuref import tpu as tpu
from tpuref.compat.v2 import initializers as initializers
from tpuref.compat.v2 import linalg as linalg
from tpuref.compat.v2 import math as math
from tpuref.compat.v2 import nn as nn
from tpuref.compat.v2 import summary
from tpuref.configuration import config as config
from tpuref.differentiation.gradients import gradients_v2 as gradients
from tpuref.differentiation.gradients import hessians_v2 as hessians
from tpuref.functions.along_axis import argmax_v2 as argmax
from tpuref.functions.along_axis import argmin_v2 as argmin
from tpuref.functions.assertions import assert_equal_v2 as assert_equal
from tpuref.functions.assertions import assert_greater_v2 as assert_greater
from tpuref.functions.assertions import assert_less_v2 as assert_less
from tpuref.functions.assertions import assert_rank_v2 as assert_rank
from tpuref.functions.control_flow import cond_v2 as cond
from tpuref.functions.control_flow import numpy_function_v2 as numpy_function
from tpuref.functions.control_flow import tuple_v2 as tuple
from tpuref.functions.control_flow import while_loop_v2 as while_loop
from tpuref.functions.creation import linspace_v2 as linspace
from tpuref.functions.creation import ones_like_v2 as ones_like
from tpuref.functions.creation import zeros_like_v2 as zeros_like
from tpuref.functions.extents import shape_v2 as shape
from tpuref.functions.extents import size_v2 as size
from tpuref.functions.indexing import gather_nd_v2 as gather_nd
from tpuref.functions.indexing import gather_v2 as gather
from tpuref.functions.indexing import scatter_nd_v2 as scatter_nd
from tpuref.functions.indexing import tensor_scatter_nd_add_v2 as tensor_scatter_nd_add
from tpuref.functions.indexing import tensor_scatter_nd_sub_v2 as tensor_scatter_nd_sub
from tpuref.functions.initializers import ConstantV2 as constant_initializer
from tpuref.functions.initializers import RandomNormalV2 as random_normal_initializer
from tpuref.functions.initializers import RandomUniformV2 as random_uniform_initializer
from tpuref.functions.linalg import matmul_v2 as matmul
from tpuref.functions.linalg import norm_v2 as norm
from tpuref.functions.reductions import reduce_all_v2 as reduce_all
from tpuref.functions.reductions import reduce_any_v2 as reduce_any
from tpuref.functions.reductions import reduce_logsumexp_v2 as reduce_logsumexp
from tpuref.functions.reductions import reduce_max_v2 as reduce_max
from tpuref.functions.reductions import reduce_mean_v2 as reduce_mean
from tpuref.functions.reductions import reduce_min_v2 as reduce_min
from tpuref.functions.reductions import reduce_prod_v2 as reduce_prod
from tpuref.functions.reductions import reduce_sum_v2 as reduce_sum
from tpuref.functions.repetition import pad_v2 as pad
from tpuref.functions.reshaping import expand_dims_v2 as expand_dims
from tpuref.functions.reshaping import squeeze_v2 as squeeze
from tpuref.functions.reshaping import transpose_v2 as transpose
from tpuref.functions.scopes import device_v2 as device
from tpuref.functions.scopes import name_scope_v2 as name_scope
from tpuref.functions.selection import boolean_mask_v2 as boolean_mask
from tpuref.functions.selection import where_v2 as where
from tpuref.graph.convert import constant_v2 as constant
from tpuref.graph.convert import convert_to_tensor_v2 as convert_to_tensor
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
