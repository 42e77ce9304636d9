"""Define `EstimatorSpec`: loss, training step and predictions of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.estimator.mode_keys import ModeKeys
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.training.hooks.session_run_hook import SessionRunHook
from tpuref.interface.training.scaffold import Scaffold

_MODES = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    export_outputs: Any
    training_chief_hooks: tuple[Any, ...]
    training_hooks: tuple[Any, ...]
    scaffold: Any
    evaluation_hooks: tuple[Any, ...]
    prediction_hooks: tuple[Any, ...]


class EstimatorSpec(_Fields):
    """The result of an `Estimator`'s model function.

    It is ``tf.estimator.EstimatorSpec`` of releases 1.11 to 1.15.  It raises ValueError
    if an argument that `mode` needs is missing, or the loss is not a scalar.

    Parameters
    ----------
    mode
        One of `ModeKeys`: the ``mode`` that the model function was called with.
    predictions
        A tensor, or a dict of tensors; needed to predict.
    loss
        A scalar, or a tensor with one element; needed to train and to evaluate.
    train_op
        The operation of one step; needed to train.
    eval_metric_ops
        A dict from names to pairs of a value and an update operation, as the functions
        of ``tf.metrics`` return them.
    export_outputs
        Stored without effect: SavedModels are not supported.
    training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks
        Session hooks of ``train``, ``evaluate`` and ``predict``.
    scaffold
        A `tf.train.Scaffold`, which initializes and saves the variables.

    Examples
    --------
    >>> spec = tf.estimator.EstimatorSpec("eval", loss=tf.constant([2.0]))
    >>> spec.loss.shape
    TensorShape([])
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Mapping[str, Any] | None = None,
        export_outputs: Any = None,
        training_chief_hooks: Sequence[Any] | None = None,
        training_hooks: Sequence[Any] | None = None,
        scaffold: Any = None,
        evaluation_hooks: Sequence[Any] | None = None,
        prediction_hooks: Sequence[Any] | None = None,
    ) -> EstimatorSpec:
        """Check the arguments that `mode` needs."""
        check_needed("EstimatorSpec", mode, predictions, train_op)
        if scaffold is not None and not isinstance(scaffold, Scaffold):
            raise invalid(TypeError, f"scaffold must be a Scaffold, got {scaffold!r}")
        return super().__new__(
            cls,
            mode=mode,
            predictions=_predictions(predictions),
            loss=single_loss("EstimatorSpec", mode, loss),
            train_op=_train_op(train_op),
            eval_metric_ops=_metrics(eval_metric_ops),
            export_outputs=export_outputs,
            training_chief_hooks=_hooks("training_chief_hooks", training_chief_hooks),
            training_hooks=_hooks("training_hooks", training_hooks),
            scaffold=scaffold if scaffold is not None else Scaffold(),
            evaluation_hooks=_hooks("evaluation_hooks", evaluation_hooks),
            prediction_hooks=_hooks("prediction_hooks", prediction_hooks),
        )


def invalid(kind: type[Exception], why: str) -> Exception:
    """Return an error for a wrong specification."""
    return coded(
        kind, f"tf.estimator.EstimatorSpec: {why}", code=codes.INVALID_MODEL_FUNCTION
    )


def _missing(spec: str, mode: str, argument: str) -> Exception:
    """Return an error for a missing argument that a mode needs."""
    return codes.INVALID_MODEL_FUNCTION.value_error(
        f"Missing {argument}: {spec}(mode={mode!r}) of the model function needs "
        f"{argument}="
    )


def check_needed(spec: str, mode: Any, predictions: Any, train_op: Any) -> None:
    """Raise an error for an unknown mode, or a missing argument that the mode needs."""
    if mode not in _MODES:
        raise codes.INVALID_MODEL_FUNCTION.value_error(
            f"tf.estimator {spec}: mode must be one of tf.estimator.ModeKeys, "
            f"{_MODES}, got {mode!r}"
        )
    if predictions is None and mode == ModeKeys.PREDICT:
        raise _missing(spec, mode, "predictions")
    if train_op is None and mode == ModeKeys.TRAIN:
        raise _missing(spec, mode, "train_op")


def single_loss(spec: str, mode: str, loss: Any) -> Any:
    """Return the loss as a scalar, or None in PREDICT mode without a loss."""
    if loss is None:
        if mode != ModeKeys.PREDICT:
            raise _missing(spec, mode, "loss")
        return None
    loss = convert_to_tensor(loss)
    if loss.shape.num_elements() not in (None, 1):
        raise invalid(
            ValueError,
            f"Loss must be scalar, given: {loss.describe()}; use tf.reduce_mean",
        )
    return loss if loss.shape.ndims == 0 else reshape(loss, [])


def _predictions(predictions: Any) -> Any:
    for leaf in nest.flatten(predictions):
        if leaf is not None and not isinstance(leaf, Tensor):
            raise invalid(
                TypeError,
                f"predictions must be tensors, got {leaf!r} in {predictions!r}",
            )
    return {} if predictions is None else predictions


def _train_op(train_op: Any) -> Any:
    train_op = getattr(train_op, "_as_graph_element", lambda: train_op)()
    if train_op is not None and not isinstance(train_op, (Operation, Tensor)):
        raise invalid(
            TypeError, f"train_op must be an operation or a tensor, got {train_op!r}"
        )
    return train_op


def _metrics(metrics: Any) -> dict[str, Any]:
    if not isinstance(metrics or {}, Mapping):
        raise invalid(TypeError, f"eval_metric_ops must be a dict, got {metrics!r}")
    for name, pair in (metrics or {}).items():
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise invalid(
                TypeError,
                f"eval_metric_ops[{name!r}] must be a pair (value, update operation), "
                f"as the functions of tf.metrics return it, got {pair!r}",
            )
    return dict(metrics or {})


def _hooks(argument: str, hooks: Any) -> tuple[Any, ...]:
    for hook in hooks or ():
        if not isinstance(hook, SessionRunHook):
            raise invalid(
                TypeError,
                f"{argument} must be instances of tf.train.SessionRunHook, got "
                f"{hook!r}",
            )
    return tuple(hooks or ())
