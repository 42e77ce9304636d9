"""Define the hook that ends training at a step."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.interface.training.coordinator import Coordinator
from tpuref.interface.training.global_step import required_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class StopAtStepHook(SessionRunHook):
    """Requests a stop after a number of steps, or at a global step.

    `num_steps` counts from the beginning of the session; `last_step` is the global step
    at which to stop.  It raises ValueError unless exactly one of both is set.  In the
    session, it raises RuntimeError if the graph has no global step.
    """

    def __init__(
        self, num_steps: int | None = None, last_step: int | None = None
    ) -> None:
        if (num_steps is None) == (last_step is None):
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.train.StopAtStepHook: exactly one of num_steps and last_step must "
                f"be set, got {num_steps!r} and {last_step!r}"
            )
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Look up the global step."""
        self._global_step = required_global_step("tf.train.StopAtStepHook")

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Compute the last step, once."""
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = int(session.run(self._global_step)) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the global step."""
        return SessionRunArgs(self._global_step)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Request a stop at the last step."""
        # The fetched step may precede the run's update; if it may be the last one, it
        # is fetched again.
        last, session = self._last_step, run_context.session
        assert last is not None
        if run_values.results + 1 >= last and session.run(self._global_step) >= last:
            run_context.request_stop()
