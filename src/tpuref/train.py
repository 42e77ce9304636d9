"""The documented names under ``tf.train``."""

from __future__ import annotations

from tpuref.cluster_resolver.cluster_spec import ClusterDef, ClusterSpec, JobDef
from tpuref.cluster_resolver.server import Server, ServerDef
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.training.adadelta import AdadeltaOptimizer
from tpuref.training.adagrad import AdagradOptimizer
from tpuref.training.adam import AdamOptimizer
from tpuref.training.ftrl import FtrlOptimizer
from tpuref.training.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tpuref.training.gradient_descent import GradientDescentOptimizer
from tpuref.training.learning_rate_decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    natural_exp_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from tpuref.training.momentum import MomentumOptimizer
from tpuref.training.moving_averages import ExponentialMovingAverage
from tpuref.training.optimizer import Optimizer
from tpuref.training.rmsprop import RMSPropOptimizer

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "ClusterDef",
    "ClusterSpec",
    "ExponentialMovingAverage",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "JobDef",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
    "Server",
    "ServerDef",
    "assert_global_step",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "natural_exp_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
]

_explain_missing(__name__, "tf.train")
