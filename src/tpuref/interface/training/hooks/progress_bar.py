"""A progress bar of training on a terminal."""

import logging
import sys
import time
from collections.abc import Sequence
from typing import Any

from tpuref.interface.training.global_step import get_global_step
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunHook,
)
from tpuref.interface.training.hooks.stop_at_step import StopAtStepHook
from tpuref.interface.training.log import log

REDRAW_SECONDS = 0.1


class ProgressBarHook(SessionRunHook):
    """Draws steps, loss, steps per second and the time that is left.

    Training ends at `last_step`, or after `num_steps`; both are None if that is
    unknown.  Without a `loss`, none is shown.
    """

    def __init__(
        self, loss: Any, num_steps: int | None = None, last_step: int | None = None
    ) -> None:
        self._loss, self._global_step = loss, get_global_step()
        self._num_steps, self._last_step = num_steps, last_step
        self._bar: Any = None
        self._drawn = 0.0

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Draw the bar; a recovered session continues it."""
        if self._bar is not None:
            return
        from tqdm import tqdm

        first = int(session.run(self._global_step))
        if self._num_steps is not None:
            self._last_step = first + self._num_steps
        self._bar = tqdm(
            total=self._last_step,
            initial=first,
            unit=" steps",
            file=sys.stderr,
            dynamic_ncols=True,
        )

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        """Fetch the loss."""
        return None if self._loss is None else SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Redraw the bar, not more often than an eye can follow."""
        now = time.monotonic()
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._redraw(run_context.session, run_values.results)

    def end(self, session: Any) -> None:
        """Draw the last step, and end the line."""
        self._redraw(session, None)
        self._bar.close()

    def _redraw(self, session: Any, loss: Any) -> None:
        # A separate run: the training step may read the step before its increment.
        step = int(session.run(self._global_step))
        if loss is not None:
            self._bar.set_postfix(loss=f"{loss:.4g}", refresh=False)
        self._bar.update(step - self._bar.n)
        self._bar.refresh()


def progress_bar(
    loss: Any, num_steps: int | None = None, last_step: int | None = None
) -> list[SessionRunHook]:
    """Return the hook of a bar, if standard error is a terminal and logs are off."""
    if (
        get_global_step() is None
        or not sys.stderr.isatty()
        or log.isEnabledFor(logging.INFO)
    ):
        return []
    return [ProgressBarHook(loss, num_steps, last_step)]


def progress_bar_of(hooks: Sequence[Any]) -> list[SessionRunHook]:
    """Return the hook of a bar for a loop that one of `hooks` ends.

    There is none where `hooks` have one already, as an estimator's do.
    """
    if any(isinstance(hook, ProgressBarHook) for hook in hooks):
        return []
    for hook in hooks:
        if isinstance(hook, StopAtStepHook):
            return progress_bar(None, hook._num_steps, hook._last_step)
    return progress_bar(None)
