"""Define the hook that measures the steps per second."""

from typing import Any

from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.summary.event_file import FileWriterCache
from tpuref.interface.summary.messages import Summary
from tpuref.interface.training.global_step import required_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tpuref.interface.training.hooks.step_timer import SecondOrStepTimer
from tpuref.interface.training.log import log

_WARNINGS = 5


class StepCounterHook(SessionRunHook):
    """Logs the steps per second, and writes them as a summary.

    A subclass may override
    ``_log_and_record(elapsed_steps, elapsed_time, global_step)``.  `every_n_steps` and
    `every_n_secs` are the period, by default 100 steps.  `summary_writer` is a writer
    to use instead of `output_dir`; without both, the hook only logs.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: PathLike | None = None,
        summary_writer: Any = None,
    ) -> None:
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._steps_per_run = 1
        self._last_global_step: int | None = None
        self._warned = 0

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        """Set the number of steps in each run."""
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Look up the global step."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step = required_global_step("tf.train.StepCounterHook")
        self._summary_tag = f"{self._global_step.op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the global step."""
        return SessionRunArgs(self._global_step)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Log and write the rate if it is due."""
        # The fetched step may precede the run's update; if the rate may be due, the
        # step is fetched again.
        before = int(run_values.results)
        if self._timer.should_trigger_for_step(before + self._steps_per_run):
            step = int(run_context.session.run(self._global_step))
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None and steps is not None:
                    self._log_and_record(steps, seconds, step)
        if before == self._last_global_step and self._warned < _WARNINGS:
            self._warned += 1
            log.warning(
                "It seems that global step (tf.train.get_global_step) has not been "
                "increased. Current value (could be stable): %s vs previous value: %s."
                " You could increase the global step by passing "
                "tf.train.get_global_step() to Optimizer.apply_gradients or "
                "Optimizer.minimize.",
                before,
                self._last_global_step,
            )
        self._last_global_step = before

    def _log_and_record(
        self, elapsed_steps: int, elapsed_time: float, global_step: int
    ) -> None:
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = Summary.Value(tag=self._summary_tag, simple_value=rate)
            self._summary_writer.add_summary(Summary(value=[value]), global_step)
        log.info("%s: %g", self._summary_tag, rate)
