"""The names under ``tf.compat.v1``."""

from tpuref.base.errors import OpError as OpError
from tpuref.base.shapes import Dimension as Dimension
from tpuref.compat.both import *
from tpuref.compat.both._math_of_v1 import *
from tpuref.compat.v1 import app as app
from tpuref.compat.v1 import data as data
from tpuref.compat.v1 import debugging as debugging
from tpuref.compat.v1 import distribute as distribute
from tpuref.compat.v1 import errors as errors
from tpuref.compat.v1 import estimator as estimator
from tpuref.compat.v1 import flags as flags
from tpuref.compat.v1 import gfile as gfile
from tpuref.compat.v1 import image as image
from tpuref.compat.v1 import initializers as initializers
from tpuref.compat.v1 import io as io
from tpuref.compat.v1 import keras as keras
from tpuref.compat.v1 import layers as layers
from tpuref.compat.v1 import linalg as linalg
from tpuref.compat.v1 import logging as logging
from tpuref.compat.v1 import losses as losses
from tpuref.compat.v1 import manip as manip
from tpuref.compat.v1 import math as math
from tpuref.compat.v1 import metrics as metrics
from tpuref.compat.v1 import nest as nest
from tpuref.compat.v1 import nn as nn
from tpuref.compat.v1 import optimizers as optimizers
from tpuref.compat.v1 import profiler as profiler
from tpuref.compat.v1 import python_io as python_io
from tpuref.compat.v1 import random as random
from tpuref.compat.v1 import signal as signal
from tpuref.compat.v1 import sparse as sparse
from tpuref.compat.v1 import strings as strings
from tpuref.compat.v1 import summary as summary
from tpuref.compat.v1 import test as test
from tpuref.compat.v1 import tpu as tpu
from tpuref.compat.v1 import train as train
from tpuref.compat.v1._math import *
from tpuref.compat.v2 import lookup as lookup
from tpuref.engine.differentiation.custom_gradient import custom_gradient as custom_gradient
from tpuref.engine.differentiation.gradients import gradients as gradients
from tpuref.engine.graph.context import get_default_session as get_default_session
from tpuref.engine.graph.convert import constant as constant
from tpuref.engine.graph.convert import convert_to_tensor as convert_to_tensor
from tpuref.engine.graph.default import disable_eager_execution as disable_eager_execution
from tpuref.engine.graph.default import disable_tensor_equality as disable_tensor_equality
from tpuref.engine.graph.default import disable_v2_behavior as disable_v2_behavior
from tpuref.engine.graph.default import disable_v2_tensorshape as disable_v2_tensorshape
from tpuref.engine.graph.default import eager_execution as eager_execution
from tpuref.engine.graph.default import enable_eager_execution as enable_eager_execution
from tpuref.engine.graph.default import enable_tensor_equality as enable_tensor_equality
from tpuref.engine.graph.default import enable_v2_behavior as enable_v2_behavior
from tpuref.engine.graph.default import enable_v2_tensorshape as enable_v2_tensorshape
from tpuref.engine.graph.default import get_default_graph as get_default_graph
from tpuref.engine.graph.default import reset_default_graph as reset_default_graph
from tpuref.engine.graph.graph import GraphKeys as GraphKeys
from tpuref.engine.graph.session import InteractiveSession as InteractiveSession
from tpuref.engine.graph.session import Session as Session
from tpuref.engine.graph.session_options import ConfigProto as ConfigProto
from tpuref.engine.graph.session_options import GPUOptions as GPUOptions
from tpuref.engine.graph.session_options import GraphOptions as GraphOptions
from tpuref.engine.graph.session_options import OptimizerOptions as OptimizerOptions
from tpuref.engine.graph.session_options import RPCOptions as RPCOptions
from tpuref.engine.graph.session_options import RunMetadata as RunMetadata
from tpuref.engine.graph.session_options import RunOptions as RunOptions
from tpuref.engine.graph.variables import Variable as Variable
from tpuref.engine.graph.variables import assign as assign
from tpuref.engine.graph.variables import assign_add as assign_add
from tpuref.engine.graph.variables import assign_sub as assign_sub
from tpuref.engine.graph.variables import global_variables as global_variables
from tpuref.engine.graph.variables import is_variable_initialized as is_variable_initialized
from tpuref.engine.graph.variables import local_variables as local_variables
from tpuref.engine.graph.variables import model_variables as model_variables
from tpuref.engine.graph.variables import moving_average_variables as moving_average_variables
from tpuref.engine.graph.variables import trainable_variables as trainable_variables
from tpuref.interface.data.parsing import FixedLenFeature as FixedLenFeature
from tpuref.interface.data.parsing import FixedLenSequenceFeature as FixedLenSequenceFeature
from tpuref.interface.data.parsing import VarLenFeature as VarLenFeature
from tpuref.interface.data.parsing import decode_raw as decode_raw
from tpuref.interface.data.parsing import parse_example as parse_example
from tpuref.interface.data.parsing import parse_single_example as parse_single_example
from tpuref.interface.data.sparse import SparseTensorValue as SparseTensorValue
from tpuref.interface.data.sparse import to_dense
from tpuref.interface.data.whole_file import read_file as read_file
from tpuref.interface.distribute.current import get_distribution_strategy as get_distribution_strategy
from tpuref.interface.distribute.current import get_tower_context as get_tower_context
from tpuref.interface.distribute.current import has_distribution_strategy as has_distribution_strategy
from tpuref.interface.distribute.current import in_cross_tower_context as in_cross_tower_context
from tpuref.interface.functions.along_axis import arg_max as arg_max
from tpuref.interface.functions.along_axis import arg_min as arg_min
from tpuref.interface.functions.assertions import assert_equal as assert_equal
from tpuref.interface.functions.assertions import assert_greater as assert_greater
from tpuref.interface.functions.assertions import assert_greater_equal as assert_greater_equal
from tpuref.interface.functions.assertions import assert_less as assert_less
from tpuref.interface.functions.assertions import assert_less_equal as assert_less_equal
from tpuref.interface.functions.assertions import assert_positive as assert_positive
from tpuref.interface.functions.blocks import batch_to_space_nd as batch_to_space_nd
from tpuref.interface.functions.blocks import depth_to_space as depth_to_space
from tpuref.interface.functions.blocks import space_to_depth as space_to_depth
from tpuref.interface.functions.control_flow import cond as cond
from tpuref.interface.functions.control_flow import control_flow_v2_enabled as control_flow_v2_enabled
from tpuref.interface.functions.control_flow import enable_control_flow_v2 as enable_control_flow_v2
from tpuref.interface.functions.control_flow import while_loop as while_loop
from tpuref.interface.functions.creation import lin_space as lin_space
from tpuref.interface.functions.creation import linspace as linspace
from tpuref.interface.functions.creation import ones_like as ones_like
from tpuref.interface.functions.creation import zeros_like as zeros_like
from tpuref.interface.functions.decompositions import cholesky as cholesky
from tpuref.interface.functions.decompositions import cholesky_solve as cholesky_solve
from tpuref.interface.functions.decompositions import det
from tpuref.interface.functions.decompositions import eigh
from tpuref.interface.functions.decompositions import eigvalsh
from tpuref.interface.functions.decompositions import inv
from tpuref.interface.functions.decompositions import qr as qr
from tpuref.interface.functions.decompositions import solve
from tpuref.interface.functions.decompositions import svd as svd
from tpuref.interface.functions.decompositions import triangular_solve
from tpuref.interface.functions.dependencies import tuple as tuple
from tpuref.interface.functions.dependencies import with_dependencies as with_dependencies
from tpuref.interface.functions.diagonals import matrix_band_part as matrix_band_part
from tpuref.interface.functions.diagonals import matrix_diag as matrix_diag
from tpuref.interface.functions.diagonals import matrix_diag_part as matrix_diag_part
from tpuref.interface.functions.diagonals import tensor_diag
from tpuref.interface.functions.diagonals import tensor_diag_part
from tpuref.interface.functions.extents import shape as shape
from tpuref.interface.functions.extents import size as size
from tpuref.interface.functions.host_functions import numpy_function as numpy_function
from tpuref.interface.functions.host_functions import py_func as py_func
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.images import random_crop as random_crop
from tpuref.interface.functions.indexing import batch_gather as batch_gather
from tpuref.interface.functions.indexing import gather as gather
from tpuref.interface.functions.indexing import gather_nd as gather_nd
from tpuref.interface.functions.indexing import scatter_nd as scatter_nd
from tpuref.interface.functions.indexing import tensor_scatter_add as tensor_scatter_add
from tpuref.interface.functions.indexing import tensor_scatter_nd_add as tensor_scatter_nd_add
from tpuref.interface.functions.indexing import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from tpuref.interface.functions.indexing import tensor_scatter_sub as tensor_scatter_sub
from tpuref.interface.functions.indexing import tensor_scatter_update as tensor_scatter_update
from tpuref.interface.functions.initializers import Constant
from tpuref.interface.functions.initializers import GlorotNormal
from tpuref.interface.functions.initializers import GlorotUniform
from tpuref.interface.functions.initializers import Orthogonal
from tpuref.interface.functions.initializers import RandomNormal
from tpuref.interface.functions.initializers import RandomUniform
from tpuref.interface.functions.initializers import TruncatedNormal
from tpuref.interface.functions.initializers import VarianceScaling
from tpuref.interface.functions.linalg import matmul as matmul
from tpuref.interface.functions.linalg import matvec as matvec
from tpuref.interface.functions.linalg import norm as norm
from tpuref.interface.functions.linalg import trace as trace
from tpuref.interface.functions.placeholders import placeholder as placeholder
from tpuref.interface.functions.placeholders import placeholder_with_default as placeholder_with_default
from tpuref.interface.functions.printing import Print as Print
from tpuref.interface.functions.random import get_seed as get_seed
from tpuref.interface.functions.random import multinomial as multinomial
from tpuref.interface.functions.random import random_normal as random_normal
from tpuref.interface.functions.random import random_shuffle as random_shuffle
from tpuref.interface.functions.random import random_uniform as random_uniform
from tpuref.interface.functions.random import set_random_seed as set_random_seed
from tpuref.interface.functions.random import truncated_normal as truncated_normal
from tpuref.interface.functions.repetition import pad as pad
from tpuref.interface.functions.reshaping import expand_dims as expand_dims
from tpuref.interface.functions.reshaping import matrix_transpose as matrix_transpose
from tpuref.interface.functions.reshaping import reverse
from tpuref.interface.functions.reshaping import squeeze as squeeze
from tpuref.interface.functions.reshaping import transpose as transpose
from tpuref.interface.functions.scopes import add_to_collection as add_to_collection
from tpuref.interface.functions.scopes import add_to_collections as add_to_collections
from tpuref.interface.functions.scopes import colocate_with as colocate_with
from tpuref.interface.functions.scopes import device as device
from tpuref.interface.functions.scopes import get_collection as get_collection
from tpuref.interface.functions.scopes import get_collection_ref as get_collection_ref
from tpuref.interface.functions.scopes import name_scope as name_scope
from tpuref.interface.functions.segments import reverse_sequence as reverse_sequence
from tpuref.interface.functions.selection import boolean_mask as boolean_mask
from tpuref.interface.functions.selection import where as where
from tpuref.interface.functions.selection import where_v2 as where_v2
from tpuref.interface.functions.strings import join
from tpuref.interface.functions.strings import regex_replace as regex_replace
from tpuref.interface.functions.texts import to_number
from tpuref.interface.functions.variable_rows import scatter_add as scatter_add
from tpuref.interface.functions.variable_rows import scatter_div as scatter_div
from tpuref.interface.functions.variable_rows import scatter_max as scatter_max
from tpuref.interface.functions.variable_rows import scatter_min as scatter_min
from tpuref.interface.functions.variable_rows import scatter_mul as scatter_mul
from tpuref.interface.functions.variable_rows import scatter_nd_add as scatter_nd_add
from tpuref.interface.functions.variable_rows import scatter_nd_sub as scatter_nd_sub
from tpuref.interface.functions.variable_rows import scatter_nd_update as scatter_nd_update
from tpuref.interface.functions.variable_rows import scatter_sub as scatter_sub
from tpuref.interface.functions.variable_rows import scatter_update as scatter_update
from tpuref.interface.functions.variable_scope import AUTO_REUSE as AUTO_REUSE
from tpuref.interface.functions.variable_scope import VariableScope as VariableScope
from tpuref.interface.functions.variable_scope import assert_variables_initialized as assert_variables_initialized
from tpuref.interface.functions.variable_scope import enable_resource_variables as enable_resource_variables
from tpuref.interface.functions.variable_scope import get_variable as get_variable
from tpuref.interface.functions.variable_scope import get_variable_scope as get_variable_scope
from tpuref.interface.functions.variable_scope import global_variables_initializer as global_variables_initializer
from tpuref.interface.functions.variable_scope import local_variables_initializer as local_variables_initializer
from tpuref.interface.functions.variable_scope import no_regularizer as no_regularizer
from tpuref.interface.functions.variable_scope import report_uninitialized_variables as report_uninitialized_variables
from tpuref.interface.functions.variable_scope import tables_initializer as tables_initializer
from tpuref.interface.functions.variable_scope import variable_scope as variable_scope
from tpuref.interface.functions.variable_scope import variables_initializer as variables_initializer
from tpuref.interface.summary.messages import Event as Event
from tpuref.interface.summary.messages import HistogramProto as HistogramProto
from tpuref.interface.summary.messages import Summary as Summary
from tpuref.interface.summary.messages import SummaryMetadata as SummaryMetadata
from tpuref.interface.tpu.padding_report import PaddingReport as PaddingReport
from tpuref.interface.tpu.padding_report import padding_report as padding_report

constant_initializer = Constant
diag = tensor_diag
diag_part = tensor_diag_part
glorot_normal_initializer = GlorotNormal
glorot_uniform_initializer = GlorotUniform
guarantee_const = identity
matrix_determinant = det
matrix_inverse = inv
matrix_solve = solve
matrix_triangular_solve = triangular_solve
orthogonal_initializer = Orthogonal
random_normal_initializer = RandomNormal
random_uniform_initializer = RandomUniform
reverse_v2 = reverse
self_adjoint_eig = eigh
self_adjoint_eigvals = eigvalsh
sparse_tensor_to_dense = to_dense
string_join = join
string_to_number = to_number
truncated_normal_initializer = TruncatedNormal
variance_scaling_initializer = VarianceScaling
