"""Define the hook that logs values of tensors."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed, number
from tpuref.engine.graph.default import get_default_graph
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tpuref.interface.training.hooks.step_timer import SecondOrStepTimer
from tpuref.interface.training.log import log

_NAME = "tf.train.LoggingTensorHook"


class LoggingTensorHook(SessionRunHook):
    """Logs values of tensors periodically, at the level INFO.

    `tensors` are the tensors or their names: a dict from labels, or a list.
    `every_n_iter` and `every_n_secs` are the period in runs or seconds; exactly one of
    them, or none with `at_end`.  `at_end` says whether to log at the end of the
    session.  `formatter` is a function from the dict of labels and values to the text.
    It raises ValueError unless exactly one period is set and positive.

    Examples
    --------
    >>> loss = tf.constant(0.5, name="loss")
    >>> hook = tf.train.LoggingTensorHook(["loss:0"], every_n_iter=1)
    >>> with tf.train.MonitoredSession(hooks=[hook]) as sess:
    ...     _ = sess.run(loss)  # logs INFO:tensorflow:loss:0 = 0.5
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (
            (every_n_iter is None) == (every_n_secs is None)
            or (
                every_n_iter is not None
                and number(f"{_NAME}: every_n_iter", every_n_iter) <= 0
            )
        ):
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.train.LoggingTensorHook: exactly one of every_n_iter and "
                "every_n_secs must be set, to a positive number, got "
                f"{every_n_iter!r} and {every_n_secs!r}"
            )
        if not isinstance(tensors, Mapping):
            tensors = {
                getattr(one, "name", one): one
                for one in listed(f"{_NAME}: tensors", tensors)
            }
        self._tensors: Any = tensors
        self._formatter, self._at_end = formatter, at_end
        self._timer = (
            None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        )
        self._runs = 0
        self._graph_tensors: dict[str, Any] | None = None
        self._due = False

    def begin(self) -> None:
        """Look up the tensors in the graph."""
        if self._timer is not None:
            self._timer.reset()
        self._runs = 0
        graph = get_default_graph()
        self._graph_tensors = {
            label: graph.as_graph_element(fetch)
            for label, fetch in self._tensors.items()
        }

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Fetch the tensors if they are due."""
        if self._graph_tensors is None:
            raise codes.INVALID_ARGUMENT.runtime_error(
                f"{_NAME}.before_run: begin() must be called first; pass the hook to "
                "tf.train.MonitoredSession"
            )
        self._due = self._timer is not None and self._timer.should_trigger_for_step(
            self._runs
        )
        return SessionRunArgs(self._graph_tensors) if self._due else None

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Log the tensors."""
        if self._due:
            self._log_tensors(run_values.results)
        self._runs += 1

    def end(self, session: Any) -> None:
        """Log the tensors at the end if `at_end` is set."""
        if self._at_end:
            self._log_tensors(session.run(self._graph_tensors))

    def _log_tensors(self, values: dict[str, Any]) -> None:
        elapsed = None
        if self._timer is not None:
            elapsed, _ = self._timer.update_last_triggered_step(self._runs)
        if self._formatter is not None:
            log.info(self._formatter(values))
            return
        with np.printoptions(suppress=True):
            text = ", ".join(f"{label} = {values[label]!s}" for label in values)
        if elapsed is not None:
            text += f" ({elapsed:.3f} sec)"
        log.info("%s", text)
