"""The names under ``tf.compat.v2``."""

from tpuref import keras as keras
from tpuref.compat.both import *
from tpuref.compat.v2 import autodiff as autodiff
from tpuref.compat.v2 import data as data
from tpuref.compat.v2 import debugging as debugging
from tpuref.compat.v2 import distribute as distribute
from tpuref.compat.v2 import errors as errors
from tpuref.compat.v2 import image as image
from tpuref.compat.v2 import initializers as initializers
from tpuref.compat.v2 import io as io
from tpuref.compat.v2 import linalg as linalg
from tpuref.compat.v2 import lookup as lookup
from tpuref.compat.v2 import math as math
from tpuref.compat.v2 import nest as nest
from tpuref.compat.v2 import nn as nn
from tpuref.compat.v2 import profiler as profiler
from tpuref.compat.v2 import ragged as ragged
from tpuref.compat.v2 import random as random
from tpuref.compat.v2 import raw_ops as raw_ops
from tpuref.compat.v2 import sets as sets
from tpuref.compat.v2 import signal as signal
from tpuref.compat.v2 import sparse as sparse
from tpuref.compat.v2 import strings as strings
from tpuref.compat.v2 import summary as summary
from tpuref.compat.v2 import test as test
from tpuref.compat.v2 import tpu as tpu
from tpuref.compat.v2 import train as train
from tpuref.compat.v2 import types as types
from tpuref.compat.v2._math import *
from tpuref.engine.differentiation.custom_gradient import custom_gradient_v2
from tpuref.engine.differentiation.gradients import gradients_v2
from tpuref.engine.graph.convert import constant_v2
from tpuref.engine.graph.convert import convert_to_tensor_v2
from tpuref.engine.graph.variables import VariableV2
from tpuref.interface.data.ragged import RaggedTensor as RaggedTensor
from tpuref.interface.data.ragged import RaggedTensorSpec as RaggedTensorSpec
from tpuref.interface.data.ragged import SparseTensorSpec as SparseTensorSpec
from tpuref.interface.data.type_specs import OptionalSpec as OptionalSpec
from tpuref.interface.functions.assertions import assert_equal_v2
from tpuref.interface.functions.assertions import assert_greater_v2
from tpuref.interface.functions.assertions import assert_less_v2
from tpuref.interface.functions.control_flow import cond_v2
from tpuref.interface.functions.control_flow import while_loop_v2
from tpuref.interface.functions.creation import linspace_v2
from tpuref.interface.functions.creation import ones_like_v2
from tpuref.interface.functions.creation import zeros_like_v2
from tpuref.interface.functions.dependencies import tuple_v2
from tpuref.interface.functions.extents import shape_v2
from tpuref.interface.functions.extents import size_v2
from tpuref.interface.functions.host_functions import numpy_function_v2
from tpuref.interface.functions.indexing import gather_nd_v2
from tpuref.interface.functions.indexing import gather_v2
from tpuref.interface.functions.indexing import scatter_nd_v2
from tpuref.interface.functions.indexing import tensor_scatter_nd_add_v2
from tpuref.interface.functions.indexing import tensor_scatter_nd_sub_v2
from tpuref.interface.functions.initializers import ConstantV2
from tpuref.interface.functions.initializers import RandomNormalV2
from tpuref.interface.functions.initializers import RandomUniformV2
from tpuref.interface.functions.linalg import matmul_v2
from tpuref.interface.functions.linalg import norm_v2
from tpuref.interface.functions.repetition import pad_v2
from tpuref.interface.functions.reshaping import expand_dims_v2
from tpuref.interface.functions.reshaping import squeeze_v2
from tpuref.interface.functions.reshaping import transpose_v2
from tpuref.interface.functions.scopes import device_v2
from tpuref.interface.functions.scopes import name_scope_v2
from tpuref.interface.functions.segments import reverse_sequence_v2
from tpuref.interface.functions.selection import boolean_mask_v2
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.functions.texts import as_string as as_string
from tpuref.keras import losses as losses
from tpuref.keras import metrics as metrics
from tpuref.keras import optimizers as optimizers

Variable = VariableV2
assert_equal = assert_equal_v2
assert_greater = assert_greater_v2
assert_less = assert_less_v2
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
linspace = linspace_v2
matmul = matmul_v2
name_scope = name_scope_v2
norm = norm_v2
numpy_function = numpy_function_v2
ones_like = ones_like_v2
pad = pad_v2
random_normal_initializer = RandomNormalV2
random_uniform_initializer = RandomUniformV2
reverse_sequence = reverse_sequence_v2
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
zeros_like = zeros_like_v2
