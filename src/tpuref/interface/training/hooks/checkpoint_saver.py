"""Define the hook that saves checkpoints, and its listeners."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.runtime.hosts import here
from tpuref.interface.checkpoints.saver import Saver
from tpuref.interface.files.filesystem import PathLike, files_at, joined
from tpuref.interface.summary.event_file import FileWriterCache, add_graph_once
from tpuref.interface.summary.messages import SESSION_CHECKPOINT, SessionLog
from tpuref.interface.training.coordinator import Coordinator
from tpuref.interface.training.global_step import required_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    hooks_of,
)
from tpuref.interface.training.hooks.step_timer import SecondOrStepTimer
from tpuref.interface.training.log import log
from tpuref.interface.training.scaffold import Scaffold


class CheckpointSaverListener:
    """The base of listeners of a `CheckpointSaverHook`."""

    def begin(self) -> None:
        """Called once before the session is created; it may add to the graph."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Called after a checkpoint is saved; a true result stops training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end, after the last checkpoint."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the beginning, periodically, and at the end.

    `save_secs` and `save_steps` are the period; exactly one of them.  `saver` is the
    saver; by default that of `scaffold`, or of the collection ``SAVERS``.  `listeners`
    are objects with the methods of `CheckpointSaverListener`.  It raises ValueError
    unless exactly one period is set, or if both a saver and a scaffold are.  In the
    session, it raises RuntimeError without a global step or without exactly one saver.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> train_op = tf.train.create_global_step().assign_add(1)
    >>> hook = tf.train.CheckpointSaverHook(
    ...     folder, save_steps=2, scaffold=(scaffold := tf.train.Scaffold()))
    >>> creator = tf.train.ChiefSessionCreator(scaffold)
    >>> with tf.train.MonitoredSession(creator, [hook]) as sess:
    ...     for _ in range(3):
    ...         _ = sess.run(train_op)
    >>> state = tf.train.get_checkpoint_state(folder)
    >>> [path[-6:] for path in state.all_model_checkpoint_paths]
    ['ckpt-0', 'ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint_dir: PathLike,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Scaffold | None = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> None:
        log.info("Create %s.", type(self).__name__)
        if saver is not None and scaffold is not None:
            raise codes.INVALID_ARGUMENT.value_error(
                f"{type(self).__name__}: pass saver or scaffold, not both"
            )
        self._saver, self._scaffold = saver, scaffold
        _, directory = files_at(checkpoint_dir, type(self).__name__, "checkpoint_dir")
        self._checkpoint_dir = directory
        self._save_path = joined(
            directory,
            instance_of(
                str,
                f"{type(self).__name__}: checkpoint_basename",
                "a string",
                checkpoint_basename,
            ),
        )
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = hooks_of(f"{type(self).__name__}: listeners", listeners)
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        """Set the number of steps in each run."""
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Look up the global step."""
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step = required_global_step(type(self).__name__)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Write the graph for TensorBoard, and save the first checkpoint."""
        add_graph_once(self._summary_writer, get_default_graph())
        step = self._step(session)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Fetch the global step."""
        return SessionRunArgs(self._global_step)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Save a checkpoint if it is due."""
        # The fetched step may precede the run's update; if a checkpoint may be due, the
        # step is fetched again.
        before = int(run_values.results)
        if not self._timer.should_trigger_for_step(before + self._steps_per_run):
            return
        step = self._step(run_context.session)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Save the last step, unless it is saved already."""
        last = self._step(session)
        if last != self._timer.last_triggered_step():
            self._save(session, last)
        for listener in self._listeners:
            listener.end(session, last)

    def _step(self, session: Any) -> int:
        return int(session.run(self._global_step))

    def _save(self, session: Any, step: int) -> bool:
        """Save a checkpoint; return whether a listener requests a stop."""
        log.info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        if here.is_chief():
            self._get_saver().save(session, self._save_path, global_step=step)
        return self._notify_saved(session, step)

    def _notify_saved(self, session: Any, step: int) -> bool:
        # A message holds only valid UTF-8, a path any bytes.
        path = self._save_path.encode(errors="surrogateescape").decode(errors="replace")
        saved = SessionLog(status=SESSION_CHECKPOINT, checkpoint_path=path)
        self._summary_writer.add_session_log(saved, step)
        self._summary_writer.flush()
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                log.info(
                    "A CheckpointSaverListener requested that training be stopped. "
                    "listener: %s",
                    listener,
                )
                stop = True
        return stop

    def _get_saver(self) -> Saver:
        if self._saver is None and self._scaffold is not None:
            self._saver = self._scaffold.saver
        if self._saver is None:
            known = get_default_graph().get_collection(GraphKeys.SAVERS)
            if len(known) != 1:
                raise codes.INVALID_ARGUMENT.runtime_error(
                    f"{type(self).__name__}: the collection of savers must have one "
                    f"saver, has {len(known)}; pass saver or scaffold"
                )
            (self._saver,) = known
        return self._saver
