"""Report examples per second."""

from typing import Any

from tpuref.interface.summary.messages import Summary
from tpuref.interface.training.hooks.step_counter import StepCounterHook
from tpuref.interface.training.log import log


class ExamplesPerSecondHook(StepCounterHook):
    """Logs steps and examples per second, and writes them as summaries."""

    def __init__(self, batch_size: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._batch_size = batch_size

    def _log_and_record(
        self, elapsed_steps: int, elapsed_time: float, global_step: int
    ) -> None:
        steps = elapsed_steps / elapsed_time
        examples = steps * self._batch_size
        log.info("global_step/sec: %g", steps)
        log.info("examples/sec: %g", examples)
        if self._summary_writer is not None:
            summary = Summary()
            summary.value.add(tag="global_step/sec", simple_value=steps)
            summary.value.add(tag="examples/sec", simple_value=examples)
            self._summary_writer.add_summary(summary, global_step)
