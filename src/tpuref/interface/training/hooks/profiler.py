"""Define the hook that records profiles of runs."""

from typing import Any

from tpuref.interface.files.filesystem import PathLike, files_at, joined
from tpuref.interface.profiler import profile
from tpuref.interface.training.coordinator import Coordinator
from tpuref.interface.training.global_step import required_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tpuref.interface.training.hooks.step_timer import SecondOrStepTimer


class ProfilerHook(SessionRunHook):
    """Records a profile of a run periodically, but not of the first one.

    It writes files ``timeline-<step>.json`` in the format of `tf.profiler.trace`, which
    https://ui.perfetto.dev displays.  Give exactly one of both periods.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: PathLike = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._output_dir = output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._records = False

    def begin(self) -> None:
        """Look up the global step."""
        self._next_step: int | None = None
        self._global_step = required_global_step("tf.train.ProfilerHook")
        files, self._directory = files_at(
            self._output_dir or ".", "tf.train.ProfilerHook", "output_dir"
        )
        files.makedirs(self._directory)

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Discard the profile of a failed run."""
        self._stop(save=False)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Start a profile if it is due."""
        step = self._next_step
        if step is not None and self._timer.should_trigger_for_step(step):
            profile.start(joined(self._directory, f"timeline-{step}.json"))
            self._records = True
        return SessionRunArgs(self._global_step)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Write the profile."""
        due = self._records
        self._stop(save=True)
        step = int(run_context.session.run(self._global_step))
        if due or self._next_step is None:
            self._timer.update_last_triggered_step(step)
        self._next_step = step + 1

    def end(self, session: Any) -> None:
        """Discard the profile of a failed run."""
        self._stop(save=False)

    def _stop(self, save: bool) -> None:
        if self._records:
            self._records = False
            profile.end(save)
