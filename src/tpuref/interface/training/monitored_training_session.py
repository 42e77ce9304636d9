"""Create a monitored session with checkpoints, summaries and progress."""

from collections.abc import Sequence
from typing import Any

from tpuref.base.arguments import listed, number
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.engine.runtime.hosts import here
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.training.hooks.checkpoint_saver import CheckpointSaverHook
from tpuref.interface.training.hooks.session_run_hook import SessionRunHook
from tpuref.interface.training.hooks.step_counter import StepCounterHook
from tpuref.interface.training.hooks.summary_saver import SummarySaverHook
from tpuref.interface.training.monitored_session import MonitoredSession
from tpuref.interface.training.scaffold import Scaffold
from tpuref.interface.training.session_creator import (
    ChiefSessionCreator,
    WorkerSessionCreator,
)

USE_DEFAULT: Any = object()
"""The default of arguments where None means off."""


def MonitoredTrainingSession(
    master: Any = "",
    is_chief: bool = True,
    checkpoint_dir: PathLike | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: float | None = USE_DEFAULT,
    save_summaries_steps: int | None = USE_DEFAULT,
    save_summaries_secs: float | None = USE_DEFAULT,
    config: ConfigProto | None = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: int | None = USE_DEFAULT,
    summary_dir: PathLike | None = None,
) -> MonitoredSession:
    """Return a `MonitoredSession` that saves checkpoints and summaries.

    It continues from the last checkpoint of its directory.

    Parameters
    ----------
    master, config
        As for `tf.Session`.
    is_chief
        Whether this process initializes and saves.  Others wait for it, at most
        `max_wait_secs`, and call only `hooks`.
    checkpoint_dir
        The directory of checkpoints to save and restore, or None.
    scaffold
        A `Scaffold`, by default a new one.
    hooks, chief_only_hooks
        Further hooks, called after the others; `chief_only_hooks` are called first.
    save_checkpoint_secs, save_checkpoint_steps
        The period of checkpoints, by default 600 seconds; 0 or None for never.
    save_summaries_steps, save_summaries_secs
        The period of summaries, by default 100 steps; 0 or None for never.
    stop_grace_period_secs
        As for `MonitoredSession`.
    log_step_count_steps
        The period of logging the steps per second; 0 or None for never.
    summary_dir
        The directory of summaries, by default `checkpoint_dir`.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> train_op = tf.train.create_global_step().assign_add(1)
    >>> for last in 3, 5:
    ...     hooks = [tf.train.StopAtStepHook(last_step=last)]
    ...     with tf.train.MonitoredTrainingSession(
    ...             checkpoint_dir=folder, hooks=hooks) as sess:
    ...         while not sess.should_stop():
    ...             print(int(sess.run(train_op)))
    1
    2
    3
    4
    5
    """
    summaries_steps, summaries_secs = _period(
        "summaries", save_summaries_steps, save_summaries_secs, 100, None
    )
    checkpoint_steps, checkpoint_secs = _period(
        "checkpoint", save_checkpoint_steps, save_checkpoint_secs, None, 600
    )
    scaffold = Scaffold() if scaffold is None else scaffold
    function = "tf.train.MonitoredTrainingSession"
    own = listed(f"{function}: hooks", hooks or [])
    if not is_chief and here.count() == 1:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, own, stop_grace_period_secs)
    every = listed(f"{function}: chief_only_hooks", chief_only_hooks or [])
    if not is_chief:  # hosts of one program all have the variables and need no waiting
        every = []
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir and log_step_count_steps:
        every.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
    if summary_dir and (summaries_steps or summaries_secs):
        every.append(
            SummarySaverHook(
                summaries_steps, summaries_secs, summary_dir, scaffold=scaffold
            )
        )
    if checkpoint_dir and (checkpoint_secs or checkpoint_steps):
        every.append(
            CheckpointSaverHook(
                checkpoint_dir, checkpoint_secs, checkpoint_steps, scaffold=scaffold
            )
        )
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(chief, every + own, stop_grace_period_secs)


def _period(
    noun: str,
    steps: Any,
    seconds: Any,
    default_steps: int | None,
    default_seconds: float | None,
) -> tuple[int | None, float | None]:
    """Return a period; an explicit one replaces the default, and 0 means never."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default_steps, default_seconds
    steps = None if steps is USE_DEFAULT else steps
    seconds = None if seconds is USE_DEFAULT else seconds
    for unit, value in (("steps", steps), ("secs", seconds)):
        if value is not None:
            number(f"tf.train.MonitoredTrainingSession: save_{noun}_{unit}", value)
    return steps or None, seconds or None
