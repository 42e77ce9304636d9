"""Report the progress of training: examples per second, and a bar on a terminal."""

from __future__ import annotations

import logging
import sys
from typing import Any

from tpuref.interface.summary.messages import Summary
from tpuref.interface.training.global_step import get_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunHook,
)
from tpuref.interface.training.hooks.step_counter import StepCounterHook
from tpuref.interface.training.log import log

WIDTH = 30


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


class ProgressBarHook(SessionRunHook):
    """Draws the progress of training on a terminal.

    `last` is the last global step if `absolute`, otherwise the number of steps.
    """

    def __init__(self, loss: Any, last: int, absolute: bool) -> None:
        self._fetches = {"loss": loss, "step": get_global_step()}
        self._last, self._absolute = last, absolute
        self._first: int | None = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Record the first global step."""
        if self._first is None:
            self._first = int(session.run(self._fetches["step"]))

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Fetch the loss."""
        return SessionRunArgs(self._fetches["loss"])

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Redraw the bar."""
        step = int(run_context.session.run(self._fetches["step"]))
        last = self._last if self._absolute else self._last + (self._first or 0)
        share = min(1.0, step / last)
        done = "=" * round(WIDTH * share)
        sys.stderr.write(
            f"\r[{done:<{WIDTH}}] step {step} of {last}, loss {run_values.results:.4g} "
        )
        sys.stderr.flush()

    def end(self, session: Any) -> None:
        """End the line of the bar."""
        sys.stderr.write("\n")


def bar(loss: Any, steps: int | None, max_steps: int | None) -> list[Any]:
    """Return the hook of the bar, if standard error is a terminal and logs are off."""
    last = max_steps if steps is None else steps
    if last is None or not sys.stderr.isatty() or log.isEnabledFor(logging.INFO):
        return []
    return [ProgressBarHook(loss, last, steps is None)]
