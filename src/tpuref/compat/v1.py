"""The names under ``tf.compat.v1``, which are also those of ``tf`` itself."""

# ruff: noqa: F401, F403, A004 - a list of names; the modules say which are public

from __future__ import annotations

from tpuref import tpu, train
from tpuref.base import errors, nest
from tpuref.base.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tpuref.base.dtypes import bool_ as bool  # noqa: A004
from tpuref.base.shapes import Dimension, TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.configuration import config
from tpuref.functions import linalg, math, nn, random
from tpuref.functions.arrays import *
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
from tpuref.functions.scopes import *
from tpuref.functions.sorting import *
from tpuref.functions.variable_scope import *
from tpuref.graph.convert import constant, convert_to_tensor
from tpuref.graph.default import (
    eager_execution,
    enable_eager_execution,
    executing_eagerly,
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from tpuref.graph.graph import Graph, GraphKeys
from tpuref.graph.session import Session
from tpuref.graph.session_options import ConfigProto, RunMetadata, RunOptions
from tpuref.graph.tensor import Operation, Tensor
from tpuref.graph.variables import (
    Variable,
    assign,
    assign_add,
    assign_sub,
    global_variables,
    local_variables,
    trainable_variables,
)
from tpuref.tpu.padding_report import PaddingReport, padding_report
