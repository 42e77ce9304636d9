"""Define the hook that runs loops on the cores, and stops after the last step."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import OutOfRangeError
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.estimator.host_calls import HostCallThread
from tpuref.interface.training.global_step import get_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunHook,
)


class LoopHook(SessionRunHook):
    """Feeds each run its number of steps, and stops the session after the last.

    `limit` is the placeholder of the number of steps of a run, `per_loop` its maximum.
    `host_operations` run in a thread during the loop, for steps 0, `every`, 2 `every`,
    and so on.
    """

    def __init__(
        self,
        limit: Tensor,
        per_loop: int,
        steps: int | None,
        max_steps: int | None,
        host_operations: Any,
        every: int,
    ) -> None:
        self._limit, self._per_loop = limit, per_loop
        self._steps, self._max_steps = steps, max_steps
        self._host_operations, self._every = host_operations, every
        self._global_step = get_global_step()
        self._done = 0
        self._left = 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Compute the number of steps left."""
        if self._max_steps is None:
            self._left = (self._steps or 0) - self._done
        else:
            self._left = self._max_steps - int(session.run(self._global_step))

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Feed the number of steps, and start the thread of the host calls."""
        count = max(0, min(self._per_loop, self._left))
        self._running = count
        self._thread = None
        if self._host_operations and count:
            # The cores send in turns 0, every, 2 * every, ...: ceil(count / every).
            self._thread = HostCallThread(
                run_context.session, self._host_operations, -(-count // self._every)
            )
        return SessionRunArgs(None, feed_dict={self._limit: count})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Wait for the host calls, and count the steps."""
        if self._thread is not None:
            self._thread.finish()
        self._done += self._running
        self._left -= self._running
        if self._left <= 0:
            run_context.request_stop()

    def check_finished(self) -> None:
        """Raise OutOfRangeError if the input ended before the last step."""
        if self._left > 0:
            raise OutOfRangeError(
                f"the input of the estimator ended with {self._left} steps left, in "
                f"the loop after {self._done} steps; use dataset.repeat(), or ask for "
                "fewer steps",
                code=codes.END_OF_SEQUENCE,
            )
