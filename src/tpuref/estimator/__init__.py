"""The names under ``tf.estimator``."""

from __future__ import annotations

from tpuref.estimator import export, inputs, tpu
from tpuref.estimator.estimator import Estimator
from tpuref.estimator.exporter import (
    BestExporter,
    Exporter,
    FinalExporter,
    LatestExporter,
)
from tpuref.estimator.mode_keys import ModeKeys
from tpuref.estimator.run_config import RunConfig
from tpuref.estimator.spec import EstimatorSpec
from tpuref.estimator.train_and_evaluate import (
    EvalSpec,
    TrainSpec,
    train_and_evaluate,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing
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
from tpuref.training.warm_start import WarmStartSettings

__all__ = [
    "BestExporter",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FeedFnHook",
    "FinalExporter",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LatestExporter",
    "LoggingTensorHook",
    "ModeKeys",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "ProfilerHook",
    "RunConfig",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "TrainSpec",
    "WarmStartSettings",
    "export",
    "inputs",
    "tpu",
    "train_and_evaluate",
]

_explain_missing(__name__, "tf.estimator")
