"""The training loop of ``tf.contrib.slim.learning``."""

import functools
import math
import time
from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.differentiation.indexed_slices import IndexedSlices
from tpuref.engine.graph.convert import constant, convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import Graph, GraphKeys
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.interface.checkpoints.saver import Saver
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.functions.arithmetic import floormod, multiply
from tpuref.interface.functions.clipping import clip_by_norm
from tpuref.interface.functions.comparison import equal, greater_equal
from tpuref.interface.training.global_step import (
    get_global_step,
    get_or_create_global_step,
)
from tpuref.interface.training.hooks.summary_saver import SummarySaverHook
from tpuref.interface.training.log import log
from tpuref.interface.training.monitored_training_session import (
    MonitoredTrainingSession,
)
from tpuref.interface.training.optimizer import Optimizer
from tpuref.interface.training.scaffold import Scaffold
from tpuref.interface.training.train_op import create_train_op as _create_train_op

_DEFAULT: Any = 0
"""Stands for an omitted argument where None is a value too."""


def clip_gradient_norms(gradients_to_variables: Any, max_norm: float) -> list[Any]:
    """Return (gradient, variable) pairs, each gradient scaled down to a norm."""
    clip = functools.partial(clip_by_norm, clip_norm=max_norm)
    return [
        (_map_gradient(g, clip), variable) for g, variable in gradients_to_variables
    ]


def multiply_gradients(
    grads_and_vars: Any, gradient_multipliers: dict[Any, Any]
) -> list[Any]:
    """Return (gradient, variable) pairs, gradients multiplied by their factors.

    `gradient_multipliers` has factors by variable or name.  It raises ValueError for a
    factor of a variable without a gradient.
    """
    factors = {getattr(k, "op", k): v for k, v in gradient_multipliers.items()}
    pairs = []
    for gradient, variable in grads_and_vars:
        factor = factors.get(variable.op, factors.get(variable.op.name))
        if factor is not None:
            if gradient is None:
                raise codes.INVALID_ARGUMENT.value_error(
                    "tf.contrib.slim.learning.multiply_gradients: "
                    f"{variable.op.name} has a factor and no gradient"
                )
            factor = convert_to_tensor(factor, gradient.dtype)
            gradient = _map_gradient(gradient, functools.partial(multiply, factor))
        pairs.append((gradient, variable))
    return pairs


def _map_gradient(gradient: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(gradient, IndexedSlices):
        values = function(gradient.values)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return None if gradient is None else function(gradient)


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = _DEFAULT,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: dict[Any, Any] | None = None,
    check_numerics: bool = True,
) -> Any:
    """Return a tensor that runs a training step and returns the loss.

    Gradients are first multiplied by the factors of `gradient_multipliers`, then each
    is clipped to `clip_gradient_norm`, if that is positive.  The other parameters are
    those of `tf.contrib.training.create_train_op`.

    Examples
    --------
    >>> learning, w = tf.contrib.slim.learning, tf.Variable(3.0)
    >>> descent = tf.train.GradientDescentOptimizer(1.0)
    >>> train_op = learning.create_train_op(w * w, descent, clip_gradient_norm=1.0)
    >>> float(learning.train(train_op, None, number_of_steps=2))
    4.0
    """

    def transform(pairs: Any) -> Any:
        if gradient_multipliers:
            pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs

    return _create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        transform,
        summarize_gradients,
        gate_gradients,
        aggregation_method,
        colocate_gradients_with_ops,
        check_numerics,
    )


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """Run a step, and return the loss and whether to stop.

    `train_step_kwargs` may have bool tensors, evaluated after the step:
    ``should_log``, ``should_stop``.
    """
    begin = time.monotonic()
    loss, step = sess.run([train_op, global_step])
    seconds = time.monotonic() - begin
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        log.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, seconds)
    stop = train_step_kwargs.get("should_stop")
    return loss, False if stop is None else sess.run(stop)


def train(
    train_op: Any,
    logdir: PathLike | None,
    train_step_fn: Callable[..., tuple[Any, Any]] = train_step,
    train_step_kwargs: Any = _DEFAULT,
    log_every_n_steps: int = 1,
    graph: Graph | None = None,
    master: Any = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _DEFAULT,
    init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = _DEFAULT,
    summary_op: Any = _DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _DEFAULT,
    startup_delay_steps: int = 0,
    saver: Saver | None = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: ConfigProto | None = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Train until the global step reaches a number or the data ends; return the loss.

    It raises ValueError if there is no train_op, or the number is not positive.

    Parameters
    ----------
    train_op
        A tensor that runs a step and returns the loss, as of `create_train_op`.
    logdir
        The folder of checkpoints and summaries, or None.  A training continues from
        the last checkpoint there, and ends with one.
    train_step_fn, train_step_kwargs
        A function like `train_step`, and its last argument.
    number_of_steps
        The last global step; None for no end.
    init_fn
        A function of the session, called after `init_op`.
    log_every_n_steps, save_summaries_secs, save_interval_secs
        The periods; 0 for no log and no summaries, and the last checkpoint alone.
    session_wrapper
        A function of the session that returns the one to train with.
    sync_optimizer, trace_every_n_steps, startup_delay_steps, ignore_live_threads
        The first two are not supported, the others have no effect.
    master, is_chief, session_config
        As for `tf.train.MonitoredTrainingSession`.
    init_op, init_feed_dict, local_init_op, ready_op, summary_op, saver
        As for `tf.train.Scaffold`.
    """
    _check_arguments(train_op, number_of_steps, sync_optimizer, trace_every_n_steps)
    with (graph or get_default_graph()).as_default():
        global_step = _in_collection(global_step)
        scaffold = Scaffold(
            _or_none(init_op),
            init_feed_dict,
            None if init_fn is None else lambda _, session: init_fn(session),
            _or_none(ready_op),
            local_init_op=_or_none(local_init_op),
            summary_op=_or_none(summary_op),
            saver=saver,
        )
        period = save_summaries_secs
        if summary_op is None or summary_writer is None:
            period = 0
        hooks, writer = [], _or_none(summary_writer)
        if writer is not None and period and is_chief:
            hooks.append(SummarySaverHook(None, period, None, writer, scaffold))
        if _or_none(train_step_kwargs) is None:
            train_step_kwargs = _conditions(
                global_step, number_of_steps, log_every_n_steps
            )
        loss, stop = None, False
        with MonitoredTrainingSession(
            master,
            is_chief,
            logdir,
            scaffold,
            hooks,
            save_checkpoint_secs=save_interval_secs or math.inf,
            log_step_count_steps=None,  # each step is several runs
            save_summaries_steps=None,
            save_summaries_secs=period if writer is None else 0,
            config=session_config,
        ) as session:
            wrapped = session if session_wrapper is None else session_wrapper(session)
            step = (wrapped, train_op, global_step, train_step_kwargs)
            while not (stop or session.should_stop()):
                loss, stop = train_step_fn(*step)
        return loss


def _check_arguments(
    train_op: Any, number_of_steps: int | None, sync_optimizer: Any, trace_period: Any
) -> None:
    function = "tf.contrib.slim.learning.train"
    if train_op is None or (number_of_steps is not None and number_of_steps <= 0):
        raise codes.INVALID_ARGUMENT.value_error(
            f"{function}: expected a train_op, and a positive number_of_steps or None, "
            f"got {train_op!r} and {number_of_steps!r}"
        )
    if sync_optimizer is not None or trace_period is not None:
        raise codes.INVALID_ARGUMENT.value_error(
            f"{function}: sync_optimizer and trace_every_n_steps are not supported; "
            "use tf.tpu.CrossShardOptimizer, and tf.profiler.trace around the training"
        )


def _in_collection(global_step: Any) -> Any:
    """Return the global step; hooks and savers look it up in its collection."""
    if global_step is None:
        return get_or_create_global_step()
    if get_global_step() is None:
        get_default_graph().add_to_collection(GraphKeys.GLOBAL_STEP, global_step)
    return global_step


def _or_none(argument: Any) -> Any:
    """Return an argument, or None if it was omitted."""
    return None if type(argument) is int else argument


def _conditions(step: Any, last: int | None, period: int) -> dict[str, Any]:
    """Return the tensors that `train_step` evaluates after a step."""
    stop = constant(False) if last is None else greater_equal(step, last)
    conditions = {"should_stop": stop}
    if period > 0:
        conditions["should_log"] = equal(floormod(step, period), 0)
    return conditions
