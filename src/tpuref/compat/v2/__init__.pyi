"""The names under ``tf.compat.v2``."""

from tpuref import compat as compat
from tpuref.base.dtypes import DType as DType
from tpuref.base.dtypes import as_dtype as as_dtype
from tpuref.base.dtypes import bfloat16 as bfloat16
from tpuref.base.dtypes import bool_
from tpuref.base.dtypes import complex128 as complex128
from tpuref.base.dtypes import complex64 as complex64
from tpuref.base.dtypes import double as double
from tpuref.base.dtypes import float16 as float16
from tpuref.base.dtypes import float32 as float32
from tpuref.base.dtypes import float64 as float64
from tpuref.base.dtypes import half as half
from tpuref.base.dtypes import int16 as int16
from tpuref.base.dtypes import int32 as int32
from tpuref.base.dtypes import int64 as int64
from tpuref.base.dtypes import int8 as int8
from tpuref.base.dtypes import string as string
from tpuref.base.dtypes import uint16 as uint16
from tpuref.base.dtypes import uint32 as uint32
from tpuref.base.dtypes import uint64 as uint64
from tpuref.base.dtypes import uint8 as uint8
from tpuref.base.shapes import TensorShape as TensorShape
from tpuref.base.spec import TensorSpec as TensorSpec
from tpuref.base.tf_logging import get_logger as get_logger
from tpuref.compat.v1 import autograph as autograph
from tpuref.compat.v1 import bitwise as bitwise
from tpuref.compat.v1 import dtypes as dtypes
from tpuref.compat.v1 import experimental as experimental
from tpuref.compat.v1 import keras as keras
from tpuref.compat.v1 import optimizers as optimizers
from tpuref.compat.v1 import sparse as sparse
from tpuref.compat.v1 import strings as strings
from tpuref.compat.v2 import autodiff as autodiff
from tpuref.compat.v2 import data as data
from tpuref.compat.v2 import debugging as debugging
from tpuref.compat.v2 import distribute as distribute
from tpuref.compat.v2 import errors as errors
from tpuref.compat.v2 import initializers as initializers
from tpuref.compat.v2 import io as io
from tpuref.compat.v2 import linalg as linalg
from tpuref.compat.v2 import math as math
from tpuref.compat.v2 import nest as nest
from tpuref.compat.v2 import nn as nn
from tpuref.compat.v2 import profiler as profiler
from tpuref.compat.v2 import random as random
from tpuref.compat.v2 import summary as summary
from tpuref.compat.v2 import test as test
from tpuref.compat.v2 import tpu as tpu
from tpuref.compat.v2 import train as train
from tpuref.engine.configuration import config as config
from tpuref.engine.differentiation.custom_gradient import custom_gradient_v2
from tpuref.engine.differentiation.gradients import gradients_v2
from tpuref.engine.differentiation.indexed_slices import IndexedSlices as IndexedSlices
from tpuref.engine.differentiation.options import AggregationMethod as AggregationMethod
from tpuref.engine.differentiation.options import UnconnectedGradients as UnconnectedGradients
from tpuref.engine.graph.aggregation import VariableAggregation as VariableAggregation
from tpuref.engine.graph.aggregation import VariableSynchronization as VariableSynchronization
from tpuref.engine.graph.convert import constant_v2
from tpuref.engine.graph.convert import convert_to_tensor_v2
from tpuref.engine.graph.default import executing_eagerly as executing_eagerly
from tpuref.engine.graph.default import init_scope as init_scope
from tpuref.engine.graph.graph import Graph as Graph
from tpuref.engine.graph.tensor import Operation as Operation
from tpuref.engine.graph.tensor import Tensor as Tensor
from tpuref.engine.graph.variables import VariableV2
from tpuref.engine.graph.variables import variable_creator_scope as variable_creator_scope
from tpuref.engine.tracing.function import function as function
from tpuref.interface.data.sparse import SparseTensor as SparseTensor
from tpuref.interface.functions.activations import sigmoid as sigmoid
from tpuref.interface.functions.along_axis import argmax_v2
from tpuref.interface.functions.along_axis import argmin_v2
from tpuref.interface.functions.along_axis import cumsum as cumsum
from tpuref.interface.functions.arithmetic import abs as abs
from tpuref.interface.functions.arithmetic import add as add
from tpuref.interface.functions.arithmetic import add_n as add_n
from tpuref.interface.functions.arithmetic import divide as divide
from tpuref.interface.functions.arithmetic import maximum as maximum
from tpuref.interface.functions.arithmetic import minimum as minimum
from tpuref.interface.functions.arithmetic import multiply as multiply
from tpuref.interface.functions.arithmetic import negative as negative
from tpuref.interface.functions.arithmetic import pow as pow
from tpuref.interface.functions.arithmetic import realdiv as realdiv
from tpuref.interface.functions.arithmetic import scalar_mul as scalar_mul
from tpuref.interface.functions.arithmetic import sign as sign
from tpuref.interface.functions.arithmetic import square as square
from tpuref.interface.functions.arithmetic import subtract as subtract
from tpuref.interface.functions.arithmetic import truediv as truediv
from tpuref.interface.functions.arithmetic import truncatemod as truncatemod
from tpuref.interface.functions.assertions import assert_equal_v2
from tpuref.interface.functions.assertions import assert_greater_v2
from tpuref.interface.functions.assertions import assert_less_v2
from tpuref.interface.functions.assertions import assert_rank_v2
from tpuref.interface.functions.assertions import ensure_shape as ensure_shape
from tpuref.interface.functions.clipping import clip_by_global_norm as clip_by_global_norm
from tpuref.interface.functions.clipping import clip_by_norm as clip_by_norm
from tpuref.interface.functions.clipping import clip_by_value as clip_by_value
from tpuref.interface.functions.comparison import equal as equal
from tpuref.interface.functions.comparison import greater as greater
from tpuref.interface.functions.comparison import greater_equal as greater_equal
from tpuref.interface.functions.comparison import less as less
from tpuref.interface.functions.comparison import less_equal as less_equal
from tpuref.interface.functions.comparison import not_equal as not_equal
from tpuref.interface.functions.complex_numbers import complex as complex
from tpuref.interface.functions.control_flow import Assert as Assert
from tpuref.interface.functions.control_flow import cond_v2
from tpuref.interface.functions.control_flow import group as group
from tpuref.interface.functions.control_flow import no_op as no_op
from tpuref.interface.functions.control_flow import numpy_function_v2
from tpuref.interface.functions.control_flow import timestamp as timestamp
from tpuref.interface.functions.control_flow import tuple_v2
from tpuref.interface.functions.control_flow import while_loop_v2
from tpuref.interface.functions.conversion import cast as cast
from tpuref.interface.functions.conversion import saturate_cast as saturate_cast
from tpuref.interface.functions.creation import eye as eye
from tpuref.interface.functions.creation import fill as fill
from tpuref.interface.functions.creation import linspace_v2
from tpuref.interface.functions.creation import one_hot as one_hot
from tpuref.interface.functions.creation import ones as ones
from tpuref.interface.functions.creation import ones_like_v2
from tpuref.interface.functions.creation import range as range
from tpuref.interface.functions.creation import sequence_mask as sequence_mask
from tpuref.interface.functions.creation import zeros as zeros
from tpuref.interface.functions.creation import zeros_like_v2
from tpuref.interface.functions.exponentials import exp as exp
from tpuref.interface.functions.exponentials import sqrt as sqrt
from tpuref.interface.functions.extents import rank as rank
from tpuref.interface.functions.extents import shape_v2
from tpuref.interface.functions.extents import size_v2
from tpuref.interface.functions.identity import identity as identity
from tpuref.interface.functions.identity import stop_gradient as stop_gradient
from tpuref.interface.functions.indexing import gather_nd_v2
from tpuref.interface.functions.indexing import gather_v2
from tpuref.interface.functions.indexing import newaxis as newaxis
from tpuref.interface.functions.indexing import scatter_nd_v2
from tpuref.interface.functions.indexing import slice as slice
from tpuref.interface.functions.indexing import strided_slice as strided_slice
from tpuref.interface.functions.indexing import tensor_scatter_nd_add_v2
from tpuref.interface.functions.indexing import tensor_scatter_nd_sub_v2
from tpuref.interface.functions.indexing import tensor_scatter_nd_update as tensor_scatter_nd_update
from tpuref.interface.functions.initializers import ConstantV2
from tpuref.interface.functions.initializers import Ones
from tpuref.interface.functions.initializers import RandomNormalV2
from tpuref.interface.functions.initializers import RandomUniformV2
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.joining import concat as concat
from tpuref.interface.functions.joining import split as split
from tpuref.interface.functions.joining import stack as stack
from tpuref.interface.functions.joining import unstack as unstack
from tpuref.interface.functions.linalg import einsum as einsum
from tpuref.interface.functions.linalg import matmul_v2
from tpuref.interface.functions.linalg import norm_v2
from tpuref.interface.functions.linalg import tensordot as tensordot
from tpuref.interface.functions.logic import logical_and as logical_and
from tpuref.interface.functions.logic import logical_not as logical_not
from tpuref.interface.functions.logic import logical_or as logical_or
from tpuref.interface.functions.mapping import map_fn as map_fn
from tpuref.interface.functions.module import Module as Module
from tpuref.interface.functions.printing import print_
from tpuref.interface.functions.reductions import reduce_all_v2
from tpuref.interface.functions.reductions import reduce_any_v2
from tpuref.interface.functions.reductions import reduce_logsumexp_v2
from tpuref.interface.functions.reductions import reduce_max_v2
from tpuref.interface.functions.reductions import reduce_mean_v2
from tpuref.interface.functions.reductions import reduce_min_v2
from tpuref.interface.functions.reductions import reduce_prod_v2
from tpuref.interface.functions.reductions import reduce_sum_v2
from tpuref.interface.functions.repetition import meshgrid as meshgrid
from tpuref.interface.functions.repetition import pad_v2
from tpuref.interface.functions.repetition import repeat as repeat
from tpuref.interface.functions.repetition import tile as tile
from tpuref.interface.functions.reshaping import broadcast_to as broadcast_to
from tpuref.interface.functions.reshaping import expand_dims_v2
from tpuref.interface.functions.reshaping import reshape as reshape
from tpuref.interface.functions.reshaping import reverse as reverse
from tpuref.interface.functions.reshaping import roll as roll
from tpuref.interface.functions.reshaping import squeeze_v2
from tpuref.interface.functions.reshaping import transpose_v2
from tpuref.interface.functions.rounding import floor as floor
from tpuref.interface.functions.rounding import round as round
from tpuref.interface.functions.scopes import control_dependencies as control_dependencies
from tpuref.interface.functions.scopes import device_v2
from tpuref.interface.functions.scopes import name_scope_v2
from tpuref.interface.functions.segments import unique as unique
from tpuref.interface.functions.selection import boolean_mask_v2
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.functions.sorting import argsort as argsort
from tpuref.interface.functions.sorting import searchsorted as searchsorted
from tpuref.interface.functions.sorting import sort as sort
from tpuref.interface.functions.tensor_array import TensorArray as TensorArray
from tpuref.interface.functions.trigonometry import acos as acos
from tpuref.interface.functions.trigonometry import acosh as acosh
from tpuref.interface.functions.trigonometry import asin as asin
from tpuref.interface.functions.trigonometry import asinh as asinh
from tpuref.interface.functions.trigonometry import atan as atan
from tpuref.interface.functions.trigonometry import atan2 as atan2
from tpuref.interface.functions.trigonometry import atanh as atanh
from tpuref.interface.functions.trigonometry import cos as cos
from tpuref.interface.functions.trigonometry import cosh as cosh
from tpuref.interface.functions.trigonometry import sin as sin
from tpuref.interface.functions.trigonometry import sinh as sinh
from tpuref.interface.functions.trigonometry import tan as tan
from tpuref.interface.functions.trigonometry import tanh as tanh
from tpuref.interface.gradients.hessians import hessians_v2
from tpuref.interface.gradients.tape import GradientTape as GradientTape

Variable = VariableV2
argmax = argmax_v2
argmin = argmin_v2
assert_equal = assert_equal_v2
assert_greater = assert_greater_v2
assert_less = assert_less_v2
assert_rank = assert_rank_v2
bool = bool_
boolean_mask = boolean_mask_v2
cond = cond_v2
constant = constant_v2
constant_initializer = ConstantV2
convert_to_tensor = convert_to_tensor_v2
custom_gradient = custom_gradient_v2
device = device_v2
expand_dims = expand_dims_v2
gather = gather_v2
gather_nd = gather_nd_v2
gradients = gradients_v2
hessians = hessians_v2
linspace = linspace_v2
matmul = matmul_v2
name_scope = name_scope_v2
norm = norm_v2
numpy_function = numpy_function_v2
ones_initializer = Ones
ones_like = ones_like_v2
pad = pad_v2
print = print_
random_normal_initializer = RandomNormalV2
random_uniform_initializer = RandomUniformV2
reduce_all = reduce_all_v2
reduce_any = reduce_any_v2
reduce_logsumexp = reduce_logsumexp_v2
reduce_max = reduce_max_v2
reduce_mean = reduce_mean_v2
reduce_min = reduce_min_v2
reduce_prod = reduce_prod_v2
reduce_sum = reduce_sum_v2
scatter_nd = scatter_nd_v2
shape = shape_v2
size = size_v2
squeeze = squeeze_v2
tensor_scatter_nd_add = tensor_scatter_nd_add_v2
tensor_scatter_nd_sub = tensor_scatter_nd_sub_v2
transpose = transpose_v2
tuple = tuple_v2
where = where_v2
while_loop = while_loop_v2
zeros_initializer = Zeros
zeros_like = zeros_like_v2
