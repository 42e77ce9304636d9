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
from tpuref.training.coordinator import Coordinator
from tpuref.training.ftrl import FtrlOptimizer
from tpuref.training.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tpuref.training.gradient_descent import GradientDescentOptimizer
from tpuref.training.hooks.checkpoint_saver import (
    CheckpointSaverHook,
    CheckpointSaverListener,
)
from tpuref.training.hooks.feed_fn import FeedFnHook
from tpuref.training.hooks.final_ops import FinalOpsHook
from tpuref.training.hooks.global_step_waiter import GlobalStepWaiterHook
from tpuref.training.hooks.logging_tensor import LoggingTensorHook
from tpuref.training.hooks.nan_tensor import NanLossDuringTrainingError, NanTensorHook
from tpuref.training.hooks.profiler import ProfilerHook
from tpuref.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tpuref.training.hooks.step_counter import StepCounterHook
from tpuref.training.hooks.step_timer import SecondOrStepTimer
from tpuref.training.hooks.stop_at_step import StopAtStepHook
from tpuref.training.hooks.summary_saver import SummarySaverHook
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
from tpuref.training.monitored_session import (
    MonitoredSession,
    SingularMonitoredSession,
)
from tpuref.training.monitored_training_session import MonitoredTrainingSession
from tpuref.training.moving_averages import ExponentialMovingAverage
from tpuref.training.optimizer import Optimizer
from tpuref.training.rmsprop import RMSPropOptimizer
from tpuref.training.scaffold import Scaffold
from tpuref.training.session_creator import (
    ChiefSessionCreator,
    SessionCreator,
    WorkerSessionCreator,
)
from tpuref.training.warm_start import VocabInfo, warm_start

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "ChiefSessionCreator",
    "ClusterDef",
    "ClusterSpec",
    "Coordinator",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FeedFnHook",
    "FinalOpsHook",
    "FloatList",
    "FtrlOptimizer",
    "GlobalStepWaiterHook",
    "GradientDescentOptimizer",
    "Int64List",
    "JobDef",
    "LoggingTensorHook",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "NewCheckpointReader",
    "Optimizer",
    "ProfilerHook",
    "RMSPropOptimizer",
    "Saver",
    "SaverDef",
    "Scaffold",
    "SecondOrStepTimer",
    "SequenceExample",
    "Server",
    "ServerDef",
    "SessionCreator",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "VocabInfo",
    "WorkerSessionCreator",
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
    "warm_start",
]

_explain_missing(__name__, "tf.train")
