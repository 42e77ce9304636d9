"""Alternate between training and evaluation."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tpuref.base.arguments import as_list, instance_of
from tpuref.interface.estimator.estimator import Estimator, step_of_checkpoint
from tpuref.interface.estimator.estimator import check_steps as _check_steps
from tpuref.interface.training.hooks.checkpoint_saver import CheckpointSaverListener


class TrainSpec(NamedTuple):
    """The arguments of training for `train_and_evaluate`.

    Attributes are the parameters of `Estimator.train`.
    """

    input_fn: Callable[..., Any]
    max_steps: int | None = None
    hooks: Sequence[Any] = ()
    saving_listeners: Sequence[Any] = ()


class EvalSpec(NamedTuple):
    """The arguments of evaluation for `train_and_evaluate`.

    `input_fn`, `steps`, `name` and `hooks` are as for `Estimator.evaluate`; 100 steps
    by default.  `exporters` are called after each evaluation.  `start_delay_secs` is
    accepted for compatibility: evaluation pauses training.  `throttle_secs` is the
    minimum number of seconds between two evaluations.
    """

    input_fn: Callable[..., Any]
    steps: int | None = 100
    name: str | None = None
    hooks: Sequence[Any] = ()
    exporters: Any = None
    start_delay_secs: int = 120
    throttle_secs: int = 600


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[Any, list[Any]]:
    """Train an estimator, and evaluate the checkpoints that it writes.

    It is ``tf.estimator.train_and_evaluate`` of releases 1.11 to 1.15.  Return the
    metrics of the last evaluation, and the list of the exporters' results.  It raises
    ValueError if ``max_steps`` or ``steps`` is not positive.

    Examples
    --------
    >>> import tempfile
    >>> def input_fn():
    ...     return tf.data.Dataset.from_tensors(([[1.0]], [[3.0]])).repeat(20)
    >>> def model_fn(features, labels, mode):
    ...     loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
    ...     step = tf.train.get_or_create_global_step()
    ...     train = tf.train.AdamOptimizer(0.1).minimize(loss, step)
    ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
    >>> metrics, _ = tf.estimator.train_and_evaluate(
    ...     tf.estimator.Estimator(model_fn, tempfile.mkdtemp()),
    ...     tf.estimator.TrainSpec(input_fn, max_steps=10),
    ...     tf.estimator.EvalSpec(input_fn, steps=2))
    >>> int(metrics["global_step"])
    10
    """
    function = "tf.estimator.train_and_evaluate"
    instance_of(Estimator, f"{function}: estimator", "an Estimator", estimator)
    instance_of(TrainSpec, f"{function}: train_spec", "a TrainSpec", train_spec)
    instance_of(EvalSpec, f"{function}: eval_spec", "an EvalSpec", eval_spec)
    _check_steps("train", max_steps=train_spec.max_steps)
    _check_steps("evaluate", steps=eval_spec.steps)
    turns = _Turns(estimator, eval_spec)
    estimator.train(
        train_spec.input_fn,
        hooks=train_spec.hooks,
        max_steps=train_spec.max_steps,
        saving_listeners=[*train_spec.saving_listeners, turns],
    )
    turns.evaluate(last=True)
    return turns.metrics, turns.exported


class _Turns(CheckpointSaverListener):
    """Evaluates new checkpoints, at most once in `throttle_secs`."""

    def __init__(self, estimator: Estimator, spec: EvalSpec) -> None:
        self._estimator, self._spec = estimator, spec
        self._started = time.monotonic()
        self._step: int | None = None
        self.metrics: Any = None
        self.exported: list[Any] = []

    def after_save(self, session: Any, global_step_value: int) -> None:
        waited = time.monotonic() - self._started
        if global_step_value and waited >= self._spec.throttle_secs:
            self.evaluate(last=False)

    def evaluate(self, last: bool) -> None:
        """Evaluate the last checkpoint unless it has been evaluated, and export it."""
        path = self._estimator.latest_checkpoint()
        step = step_of_checkpoint(path)
        if step == self._step and not last:
            return
        if step != self._step or self.metrics is None:
            self.metrics = self._estimator.evaluate(
                self._spec.input_fn,
                steps=self._spec.steps,
                hooks=self._spec.hooks,
                name=self._spec.name,
            )
        self._step, self._started = step, time.monotonic()
        exporters = self._spec.exporters
        for exporter in as_list(() if exporters is None else exporters):
            folder = f"{self._estimator.model_dir}/export/{exporter.name}"
            self.exported.append(
                exporter.export(self._estimator, folder, path, self.metrics, last)
            )
