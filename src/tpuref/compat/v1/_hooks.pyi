"""The names that ``tf.train`` and ``tf.estimator`` have: hooks, and what they use."""

from tpuref.interface.training.hooks.checkpoint_saver import CheckpointSaverHook as CheckpointSaverHook
from tpuref.interface.training.hooks.checkpoint_saver import CheckpointSaverListener as CheckpointSaverListener
from tpuref.interface.training.hooks.final_ops import FinalOpsHook as FinalOpsHook
from tpuref.interface.training.hooks.logging_tensor import LoggingTensorHook as LoggingTensorHook
from tpuref.interface.training.hooks.nan_tensor import NanLossDuringTrainingError as NanLossDuringTrainingError
from tpuref.interface.training.hooks.nan_tensor import NanTensorHook as NanTensorHook
from tpuref.interface.training.hooks.profiler import ProfilerHook as ProfilerHook
from tpuref.interface.training.hooks.session_run_hook import SessionRunArgs as SessionRunArgs
from tpuref.interface.training.hooks.session_run_hook import SessionRunContext as SessionRunContext
from tpuref.interface.training.hooks.session_run_hook import SessionRunHook as SessionRunHook
from tpuref.interface.training.hooks.session_run_hook import SessionRunValues as SessionRunValues
from tpuref.interface.training.hooks.step_counter import StepCounterHook as StepCounterHook
from tpuref.interface.training.hooks.step_timer import SecondOrStepTimer as SecondOrStepTimer
from tpuref.interface.training.hooks.stop_at_step import StopAtStepHook as StopAtStepHook
from tpuref.interface.training.hooks.summary_saver import SummarySaverHook as SummarySaverHook
