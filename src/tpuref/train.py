"""The documented names under ``tf.train``."""

from __future__ import annotations

from tpuref.checkpoints.initialization import (
    init_from_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from tpuref.checkpoints.objects import Checkpoint, CheckpointManager
from tpuref.checkpoints.saver import Saver, SaverDef
from tpuref.checkpoints.state import (
    checkpoints_iterator,
    generate_checkpoint_state_proto,
    get_checkpoint_state,
    latest_checkpoint,
    update_checkpoint_state,
)
from tpuref.checkpoints.stored import CheckpointReader as NewCheckpointReader
from tpuref.checkpoints.stored import checkpoint_exists, remove_checkpoint
from tpuref.cluster_resolver.cluster_spec import ClusterDef, ClusterSpec, JobDef
from tpuref.cluster_resolver.server import Server, ServerDef
from tpuref.data.examples import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.summary.event_file import summary_iterator
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
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "ClusterDef",
    "ClusterSpec",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "Int64List",
    "JobDef",
    "MomentumOptimizer",
    "NewCheckpointReader",
    "Optimizer",
    "RMSPropOptimizer",
    "Saver",
    "SaverDef",
    "SequenceExample",
    "Server",
    "ServerDef",
    "assert_global_step",
    "checkpoint_exists",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "generate_checkpoint_state_proto",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "init_from_checkpoint",
    "inverse_time_decay",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "natural_exp_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "remove_checkpoint",
    "summary_iterator",
    "update_checkpoint_state",
]

_explain_missing(__name__, "tf.train")
