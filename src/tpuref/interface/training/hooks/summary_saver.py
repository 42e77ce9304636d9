"""Define the hook that writes the summaries of a graph."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.summary.event_file import FileWriterCache
from tpuref.interface.summary.messages import SESSION_START, SessionLog
from tpuref.interface.training.global_step import required_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tpuref.interface.training.hooks.step_timer import SecondOrStepTimer
from tpuref.interface.training.scaffold import Scaffold


class SummarySaverHook(SessionRunHook):
    """Writes summaries periodically.

    `save_steps` and `save_secs` are the period; exactly one of them.  `summary_writer`
    is a writer to use instead of `output_dir`.  `scaffold` is a scaffold whose
    ``summary_op`` is written.  `summary_op` is a summary or list of summaries to write
    instead.  It raises ValueError if not exactly one period, or not exactly one of
    scaffold and summary, is set.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: PathLike | None = None,
        summary_writer: Any = None,
        scaffold: Scaffold | None = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.train.SummarySaverHook: exactly one of scaffold and summary_op "
                f"must be set, got {scaffold!r} and {summary_op!r}"
            )
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._scaffold, self._summary_op = scaffold, summary_op

    def begin(self) -> None:
        """Look up the global step."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._global_step = required_global_step("tf.train.SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the summaries if they are due."""
        self._due = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        return SessionRunArgs([self._global_step, *self._summaries()])

    def _summaries(self) -> list[Any]:
        if not self._due:
            return []
        scaffold = self._scaffold
        summaries = self._summary_op if scaffold is None else scaffold.summary_op
        if isinstance(summaries, (list, tuple)):
            return list(summaries)
        return [] if summaries is None else [summaries]

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Write the summaries."""
        if self._summary_writer is None:
            return
        before, *summaries = run_values.results
        step = int(before) + 1
        if self._due:  # the fetched step may precede or follow the run's update
            step = int(run_context.session.run(self._global_step))
            self._timer.update_last_triggered_step(step)
        if self._next_step is None:
            self._summary_writer.add_session_log(SessionLog(status=SESSION_START), step)
        for summary in summaries:
            self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Flush the writer."""
        if self._summary_writer is not None:
            self._summary_writer.flush()
