"""The names under ``tf.compat.v1``, which are also those of ``tf`` itself."""

# ruff: noqa: F401, F403, A004 - a list of names; the modules say which are public

from __future__ import annotations

from tpuref import tpu as tpu, train as train
from tpuref.base import errors as errors, nest as nest
from tpuref.base.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    complex64 as complex64,
    complex128 as complex128,
    double as double,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    half as half,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from tpuref.base.dtypes import bool_ as bool  # noqa: A004
from tpuref.base.shapes import Dimension as Dimension, TensorShape as TensorShape
from tpuref.base.spec import TensorSpec as TensorSpec
from tpuref.configuration import config as config
from tpuref.functions import bitwise as bitwise
from tpuref.functions import nn as nn
from tpuref.functions import random as random
from tpuref.functions.arrays import *
from tpuref.functions.assertions import *
from tpuref.functions.control_flow import *
from tpuref.functions.indexing import *
from tpuref.functions.initializers import Constant as constant_initializer
from tpuref.functions.initializers import GlorotNormal as glorot_normal_initializer
from tpuref.functions.initializers import GlorotUniform as glorot_uniform_initializer
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
from tpuref.functions.linalg import *
from tpuref.functions.math import *
from tpuref.functions.random import *
from tpuref.functions.nn import sigmoid as sigmoid
from tpuref.functions.scopes import *
from tpuref.functions.sorting import *
from tpuref.functions.variable_scope import *
from tpuref.graph.convert import (
    constant as constant,
    convert_to_tensor as convert_to_tensor,
)
from tpuref.graph.default import (
    eager_execution as eager_execution,
    enable_eager_execution as enable_eager_execution,
    executing_eagerly as executing_eagerly,
    get_default_graph as get_default_graph,
    get_default_session as get_default_session,
    reset_default_graph as reset_default_graph,
)
from tpuref.graph.graph import Graph as Graph, GraphKeys as GraphKeys
from tpuref.graph.session import Session as Session
from tpuref.graph.session_options import (
    ConfigProto as ConfigProto,
    RunMetadata as RunMetadata,
    RunOptions as RunOptions,
)
from tpuref.graph.tensor import Operation as Operation, Tensor as Tensor
from tpuref.graph.variables import (
    Variable as Variable,
    assign as assign,
    assign_add as assign_add,
    assign_sub as assign_sub,
    global_variables as global_variables,
    is_variable_initialized as is_variable_initialized,
    local_variables as local_variables,
    trainable_variables as trainable_variables,
)
from tpuref.namespaces import linalg as linalg
from tpuref.namespaces import math as math
from tpuref.tpu.padding_report import (
    PaddingReport as PaddingReport,
    padding_report as padding_report,
)
