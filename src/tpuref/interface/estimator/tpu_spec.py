"""Define `TPUEstimatorSpec`, the result of a TPUEstimator's model function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.estimator.spec import EstimatorSpec, check_needed, single_loss
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunHook,
)


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metrics: Any
    export_outputs: Any
    scaffold_fn: Any
    host_call: Any
    training_hooks: tuple[Any, ...]
    evaluation_hooks: tuple[Any, ...]
    prediction_hooks: tuple[Any, ...]


class TPUEstimatorSpec(_Fields):
    """The result of a `TPUEstimator`'s model function.

    It is ``tf.contrib.tpu.TPUEstimatorSpec`` of releases 1.11 to 1.15.  Other
    parameters are those of `EstimatorSpec`.  It raises ValueError if an argument that
    `mode` needs is missing, a pair is malformed, or a function does not take the
    tensors of its pair.

    `predictions` is a dict of tensors with the batch as their first dimension.
    `eval_metrics` is a pair of a function and its tensors, a list or a dict.  The
    function runs on the host, with the tensors of all replicas concatenated along
    dimension 0, and returns a dict of metrics.  `scaffold_fn` is a function without
    arguments that returns a `tf.train.Scaffold`, called on the host after the model was
    built.  `host_call` is a pair as `eval_metrics`; the function is called for each
    step and returns an operation or a tensor.

    Examples
    --------
    >>> def metrics(rows):
    ...     return {"mean": tf.metrics.mean(rows)}
    >>> spec = tf.contrib.tpu.TPUEstimatorSpec(
    ...     "eval", loss=tf.constant(1.0), eval_metrics=(metrics, [tf.zeros([4])]))
    >>> sorted(spec.as_estimator_spec().eval_metric_ops)
    ['mean']
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metrics: Any = None,
        export_outputs: Any = None,
        scaffold_fn: Callable[[], Any] | None = None,
        host_call: Any = None,
        training_hooks: Sequence[Any] | None = None,
        evaluation_hooks: Sequence[Any] | None = None,
        prediction_hooks: Sequence[Any] | None = None,
    ) -> TPUEstimatorSpec:
        """Check the arguments that `mode` needs."""
        check_needed("TPUEstimatorSpec", mode, predictions, train_op)
        return super().__new__(
            cls,
            mode,
            predictions,
            single_loss("TPUEstimatorSpec", mode, loss),
            train_op,
            _checked_call("eval_metrics", eval_metrics),
            export_outputs,
            scaffold_fn,
            _checked_call("host_call", host_call),
            tuple(training_hooks or ()),
            tuple(evaluation_hooks or ()),
            tuple(prediction_hooks or ()),
        )

    def as_estimator_spec(self) -> EstimatorSpec:
        """Return the equivalent `EstimatorSpec`, which runs on the host."""
        metrics = None
        if self.eval_metrics is not None:
            metrics = called(*self.eval_metrics)
        hooks: list[Any] = []
        if self.host_call is not None:
            function, tensors = self.host_call
            hooks.append(_HostCallHook(group(called(function, tensors))))
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=[*self.training_hooks, *hooks],
            evaluation_hooks=[*self.evaluation_hooks, *hooks],
            prediction_hooks=[*self.prediction_hooks, *hooks],
        )


def called(function: Callable[..., Any], tensors: Any) -> Any:
    """Call the function of a host call with its tensors, a list or a dict."""
    if isinstance(tensors, Mapping):
        return function(**tensors)
    return function(*tensors)


def at_least_rank_1(tensor: Any) -> Tensor:
    """Return a tensor of rank 1 or more, which can be concatenated over replicas."""
    tensor = convert_to_tensor(tensor)
    return reshape(tensor, [1]) if tensor.shape.ndims == 0 else tensor


def _checked_call(argument: str, call: Any) -> Any:
    if call is None:
        return None
    if not isinstance(call, (list, tuple)) or len(call) != 2:
        raise invalid_host_call(
            argument, f"must be a pair (function, tensors), got {call!r}"
        )
    function, tensors = call
    if not callable(function):
        raise invalid_host_call(argument, f"must begin with a function: {function!r}")
    if not isinstance(tensors, (list, tuple, Mapping)):
        raise invalid_host_call(
            argument, f"must end with a list or a dict of tensors, got {tensors!r}"
        )
    return function, tensors


def invalid_host_call(argument: str, why: str) -> Exception:
    """Return an error for a host call, metrics or predictions."""
    return codes.INVALID_MODEL_FUNCTION.value_error(
        f"tf.contrib.tpu.TPUEstimatorSpec: {argument} {why}"
    )


class _HostCallHook(SessionRunHook):
    """Runs a host call with each step of a model that runs on the host."""

    def __init__(self, operation: Any) -> None:
        self._operation = operation

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._operation)
