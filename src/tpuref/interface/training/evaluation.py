"""Evaluate a checkpoint on a number of batches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tpuref.base import nest
from tpuref.base.arguments import integer
from tpuref.base.dtypes import int64
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.variable_scope import get_variable, variable_scope
from tpuref.interface.training.hooks.final_ops import FinalOpsHook
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    hooks_of,
)
from tpuref.interface.training.log import log
from tpuref.interface.training.monitored_session import MonitoredSession
from tpuref.interface.training.scaffold import Scaffold
from tpuref.interface.training.session_creator import ChiefSessionCreator


def get_or_create_eval_step() -> Any:
    """Return the variable that counts the batches of an evaluation."""
    known = get_default_graph().get_collection(GraphKeys.EVAL_STEP)
    if known:
        return known[0]
    with variable_scope("", reuse=False):
        return get_variable(
            GraphKeys.EVAL_STEP,
            shape=[],
            dtype=int64,
            initializer=Zeros(),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
        )


class StopAfterNEvalsHook(SessionRunHook):
    """Requests a stop after a number of batches, and logs the progress.

    A number of None takes the whole input.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        if num_evals is not None:
            num_evals = integer(
                "tf.contrib.training.StopAfterNEvalsHook: num_evals", num_evals
            )
        self._num_evals, self._log_progress = num_evals, log_progress
        few = num_evals is None or num_evals < 20
        self._log_every = 1 if few or num_evals is None else num_evals // 10
        self._evals_completed: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        """Set the tensor that counts the batches."""
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the number of batches."""
        return SessionRunArgs(self._evals_completed)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Log the number, and request a stop after the last batch."""
        done, wanted = int(run_values.results), self._num_evals
        if self._log_progress and wanted is None:
            log.info("Evaluation [%d]", done)
        elif self._log_progress and (done % self._log_every == 0 or done == wanted):
            log.info("Evaluation [%d/%d]", done, wanted)
        if wanted is not None and done >= wanted:
            run_context.request_stop()


def evaluate_once(
    checkpoint_path: PathLike | None,
    master: Any = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: dict[Any, Any] | None = None,
    final_ops: Any = None,
    final_ops_feed_dict: dict[Any, Any] | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    config: ConfigProto | None = None,
) -> Any:
    """Evaluate a checkpoint, and return the values of `final_ops`.

    Parameters
    ----------
    checkpoint_path
        The checkpoint; None to initialize the variables.
    master, config
        As for `tf.Session`.
    scaffold
        The scaffold of the session, by default a new `tf.train.Scaffold`.
    eval_ops, feed_dict
        The operations to run until a hook requests a stop or the input ends.
    final_ops, final_ops_feed_dict
        The tensors to evaluate at the end, such as the values of metrics.
    hooks
        Further hooks, such as `tf.contrib.training.StopAfterNEvalsHook`.

    Examples
    --------
    >>> mean, update = tf.metrics.mean([1.0, 3.0])
    >>> hooks = [tf.contrib.training.StopAfterNEvalsHook(2)]
    >>> float(tf.contrib.training.evaluate_once(
    ...     None, eval_ops=update, final_ops=mean, hooks=hooks))
    2.0
    """
    step = get_or_create_eval_step()
    hooks = hooks_of("tf.contrib.training.evaluate_once: hooks", hooks)
    with get_default_graph().control_dependencies(nest.flatten(eval_ops)):
        counted = step.assign_add(1)
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(counted)
    log.info("Starting evaluation at %s", _now())
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    with MonitoredSession(creator, [*hooks, final]) as session:
        while eval_ops is not None and not session.should_stop():
            session.run([eval_ops, counted], feed_dict)
    log.info("Finished evaluation at %s", _now())
    return final.final_ops_values


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
