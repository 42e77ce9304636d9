"""Define the hook that delays a process until a global step."""

import time

from tpuref.base.arguments import integer
from tpuref.interface.training.global_step import required_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)
from tpuref.interface.training.log import log

_LOOK_AGAIN_SECONDS = 0.5
_TELL_EVERY_STEPS = 1000


class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first run until the global step reaches a value.

    Another process has to reach that step.
    """

    def __init__(self, wait_until_step: int) -> None:
        argument = "tf.train.GlobalStepWaiterHook: wait_until_step"
        self._wait_until_step = integer(argument, wait_until_step)
        self._began = self._wait_until_step <= 0

    def begin(self) -> None:
        """Look up the global step."""
        self._global_step = required_global_step("tf.train.GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Wait before the first run."""
        if self._began:
            return None
        wanted, told = self._wait_until_step, 0
        log.info("Waiting for global step %d before starting training.", wanted)
        while (step := int(run_context.session.run(self._global_step))) < wanted:
            if step - told > _TELL_EVERY_STEPS:
                log.info("Waiting for global step %d; it is %d.", wanted, step)
                told = step
            time.sleep(_LOOK_AGAIN_SECONDS)
        self._began = True
        return None
