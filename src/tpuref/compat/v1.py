"""The names under ``tf.compat.v1``, which are also those of ``tf`` itself."""

# ruff: noqa: F401, F403 - a list of names; the modules say which are public

from tpuref import data as data
from tpuref import distribute as distribute
from tpuref import estimator as estimator
from tpuref import layers as layers
from tpuref import losses as losses
from tpuref import metrics as metrics
from tpuref import optimizers as optimizers
from tpuref import summary as summary
from tpuref import tpu as tpu
from tpuref import train as train
from tpuref.base.dtypes import (
    DType as DType,
)
from tpuref.base.dtypes import (
    as_dtype as as_dtype,
)
from tpuref.base.dtypes import (
    bfloat16 as bfloat16,
)
from tpuref.base.dtypes import bool_ as bool
from tpuref.base.dtypes import (
    complex64 as complex64,
)
from tpuref.base.dtypes import (
    complex128 as complex128,
)
from tpuref.base.dtypes import (
    double as double,
)
from tpuref.base.dtypes import (
    float16 as float16,
)
from tpuref.base.dtypes import (
    float32 as float32,
)
from tpuref.base.dtypes import (
    float64 as float64,
)
from tpuref.base.dtypes import (
    half as half,
)
from tpuref.base.dtypes import (
    int8 as int8,
)
from tpuref.base.dtypes import (
    int16 as int16,
)
from tpuref.base.dtypes import (
    int32 as int32,
)
from tpuref.base.dtypes import (
    int64 as int64,
)
from tpuref.base.dtypes import (
    string as string,
)
from tpuref.base.dtypes import (
    uint8 as uint8,
)
from tpuref.base.dtypes import (
    uint16 as uint16,
)
from tpuref.base.dtypes import (
    uint32 as uint32,
)
from tpuref.base.dtypes import (
    uint64 as uint64,
)
from tpuref.base.shapes import Dimension as Dimension
from tpuref.base.shapes import TensorShape as TensorShape
from tpuref.base.spec import TensorSpec as TensorSpec
from tpuref.configuration import config as config
from tpuref.data.parsing import *
from tpuref.data.sparse import SparseTensor as SparseTensor
from tpuref.data.sparse import SparseTensorValue as SparseTensorValue
from tpuref.data.sparse import to_dense as sparse_tensor_to_dense
from tpuref.differentiation.custom_gradient import *
from tpuref.differentiation.gradients import *
from tpuref.differentiation.indexed_slices import *
from tpuref.differentiation.options import *
from tpuref.differentiation.tape import *
from tpuref.distribute.current import (
    get_distribution_strategy as get_distribution_strategy,
)
from tpuref.distribute.current import (
    get_tower_context as get_tower_context,
)
from tpuref.distribute.current import (
    has_distribution_strategy as has_distribution_strategy,
)
from tpuref.distribute.current import (
    in_cross_tower_context as in_cross_tower_context,
)
from tpuref.functions.activations import sigmoid as sigmoid
from tpuref.functions.along_axis import *
from tpuref.functions.arithmetic import *
from tpuref.functions.assertions import *
from tpuref.functions.clipping import *
from tpuref.functions.comparison import *
from tpuref.functions.complex_numbers import *
from tpuref.functions.confusion_matrix import *
from tpuref.functions.control_flow import *
from tpuref.functions.conversion import *
from tpuref.functions.creation import *
from tpuref.functions.diagonals import *
from tpuref.functions.exponentials import *
from tpuref.functions.extents import *
from tpuref.functions.identity import *
from tpuref.functions.indexing import *
from tpuref.functions.initializers import Constant as constant_initializer
from tpuref.functions.initializers import GlorotNormal as glorot_normal_initializer
from tpuref.functions.initializers import GlorotUniform as glorot_uniform_initializer
from tpuref.functions.initializers import Ones as ones_initializer
from tpuref.functions.initializers import Orthogonal as orthogonal_initializer
from tpuref.functions.initializers import RandomNormal as random_normal_initializer
from tpuref.functions.initializers import RandomUniform as random_uniform_initializer
from tpuref.functions.initializers import (
    TruncatedNormal as truncated_normal_initializer,
)
from tpuref.functions.initializers import (
    VarianceScaling as variance_scaling_initializer,
)
from tpuref.functions.initializers import Zeros as zeros_initializer
from tpuref.functions.joining import *
from tpuref.functions.linalg import *
from tpuref.functions.logic import *
from tpuref.functions.mapping import *
from tpuref.functions.module import Module as Module
from tpuref.functions.placeholders import *
from tpuref.functions.printing import print_ as print
from tpuref.functions.random import *
from tpuref.functions.reductions import *
from tpuref.functions.repetition import *
from tpuref.functions.reshaping import *
from tpuref.functions.rounding import *
from tpuref.functions.scopes import *
from tpuref.functions.segments import *
from tpuref.functions.selection import *
from tpuref.functions.sorting import *
from tpuref.functions.tensor_array import *
from tpuref.functions.trigonometry import *
from tpuref.functions.variable_rows import *
from tpuref.functions.variable_scope import *
from tpuref.graph.aggregation import (
    VariableAggregation as VariableAggregation,
)
from tpuref.graph.aggregation import (
    VariableSynchronization as VariableSynchronization,
)
from tpuref.graph.context import (
    get_default_session as get_default_session,
)
from tpuref.graph.convert import (
    constant as constant,
)
from tpuref.graph.convert import (
    convert_to_tensor as convert_to_tensor,
)
from tpuref.graph.default import (
    disable_eager_execution as disable_eager_execution,
)
from tpuref.graph.default import (
    disable_v2_behavior as disable_v2_behavior,
)
from tpuref.graph.default import (
    eager_execution as eager_execution,
)
from tpuref.graph.default import (
    enable_eager_execution as enable_eager_execution,
)
from tpuref.graph.default import (
    enable_v2_behavior as enable_v2_behavior,
)
from tpuref.graph.default import (
    executing_eagerly as executing_eagerly,
)
from tpuref.graph.default import (
    get_default_graph as get_default_graph,
)
from tpuref.graph.default import (
    init_scope as init_scope,
)
from tpuref.graph.default import (
    reset_default_graph as reset_default_graph,
)
from tpuref.graph.graph import Graph as Graph
from tpuref.graph.graph import GraphKeys as GraphKeys
from tpuref.graph.session import InteractiveSession as InteractiveSession
from tpuref.graph.session import Session as Session
from tpuref.graph.session_options import (
    ConfigProto as ConfigProto,
)
from tpuref.graph.session_options import (
    GPUOptions as GPUOptions,
)
from tpuref.graph.session_options import (
    GraphOptions as GraphOptions,
)
from tpuref.graph.session_options import (
    OptimizerOptions as OptimizerOptions,
)
from tpuref.graph.session_options import (
    RPCOptions as RPCOptions,
)
from tpuref.graph.session_options import (
    RunMetadata as RunMetadata,
)
from tpuref.graph.session_options import (
    RunOptions as RunOptions,
)
from tpuref.graph.tensor import Operation as Operation
from tpuref.graph.tensor import Tensor as Tensor
from tpuref.graph.variables import (
    Variable as Variable,
)
from tpuref.graph.variables import (
    assign as assign,
)
from tpuref.graph.variables import (
    assign_add as assign_add,
)
from tpuref.graph.variables import (
    assign_sub as assign_sub,
)
from tpuref.graph.variables import (
    global_variables as global_variables,
)
from tpuref.graph.variables import (
    is_variable_initialized as is_variable_initialized,
)
from tpuref.graph.variables import (
    local_variables as local_variables,
)
from tpuref.graph.variables import (
    model_variables as model_variables,
)
from tpuref.graph.variables import (
    moving_average_variables as moving_average_variables,
)
from tpuref.graph.variables import (
    trainable_variables as trainable_variables,
)
from tpuref.graph.variables import (
    variable_creator_scope as variable_creator_scope,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces import app as app
from tpuref.namespaces import autograph as autograph
from tpuref.namespaces import bitwise as bitwise
from tpuref.namespaces import (
    config as _functions_of_config,
)
from tpuref.namespaces import dtypes as dtypes
from tpuref.namespaces import errors as errors
from tpuref.namespaces import flags as flags
from tpuref.namespaces import gfile as gfile
from tpuref.namespaces import initializers as initializers
from tpuref.namespaces import io as io
from tpuref.namespaces import keras as keras
from tpuref.namespaces import linalg as linalg
from tpuref.namespaces import logging as logging
from tpuref.namespaces import math as math
from tpuref.namespaces import nest as nest
from tpuref.namespaces import nn as nn
from tpuref.namespaces import python_io as python_io
from tpuref.namespaces import random as random
from tpuref.namespaces import sparse as sparse
from tpuref.namespaces import strings as strings
from tpuref.namespaces import test as test
from tpuref.namespaces.logging import get_logger as get_logger
from tpuref.summary.messages import Event as Event
from tpuref.summary.messages import HistogramProto as HistogramProto
from tpuref.summary.messages import Summary as Summary
from tpuref.tpu.padding_report import (
    PaddingReport as PaddingReport,
)
from tpuref.tpu.padding_report import (
    padding_report as padding_report,
)
from tpuref.tracing.function import function as function

_explain_missing(__name__, "tf.compat.v1")
