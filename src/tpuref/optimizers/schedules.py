"""Learning rates that change with the steps: ``tf.optimizers.schedules``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tpuref.graph.default import executing_eagerly
from tpuref.graph.tensor import Tensor
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.training import learning_rate_decay as decay

__all__ = [
    "CosineDecay",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
]


class LearningRateSchedule:
    """Gives the learning rate of a step; a subclass says it in ``__call__(step)``.

    Examples
    --------
    >>> import tpuref as tf
    >>> class Halved(tf.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 1.0 / (step + 1.0)
    >>> with tf.eager_execution():
    ...     w, optimizer = tf.Variable(1.0), tf.optimizers.SGD(Halved())
    ...     for _ in range(2):
    ...         optimizer.apply_gradients([(tf.constant(1.0), w)])
    ...     float(w)
    -0.5
    """

    def __call__(self, step: Any) -> Any:
        """Return the learning rate after `step` steps."""
        raise NotImplementedError(
            f"{type(self).__name__} lacks __call__(step), which returns the rate"
        )

    def get_config(self) -> dict[str, Any]:
        """Return the attributes."""
        return dict(vars(self))


@dataclass
class _Decay(LearningRateSchedule):
    """A schedule that `tf.train` has as a function."""

    initial_learning_rate: Any

    def get_config(self) -> dict[str, Any]:
        """Return the attributes."""
        return asdict(self)


def _value(rate: Any) -> Tensor:
    """Return what a decay gives: a tensor, in eager mode a function."""
    found: Tensor = rate() if executing_eagerly() and callable(rate) else rate
    return found


@dataclass
class ExponentialDecay(_Decay):
    """As `tf.train.exponential_decay`."""

    decay_steps: Any
    decay_rate: Any
    staircase: bool = False
    name: str | None = None

    def __call__(self, step: Any) -> Tensor:
        """Return the learning rate after `step` steps."""
        return _value(
            decay.exponential_decay(
                self.initial_learning_rate,
                step,
                self.decay_steps,
                self.decay_rate,
                self.staircase,
            )
        )


@dataclass
class InverseTimeDecay(_Decay):
    """As `tf.train.inverse_time_decay`."""

    decay_steps: Any
    decay_rate: Any
    staircase: bool = False
    name: str | None = None

    def __call__(self, step: Any) -> Tensor:
        """Return the learning rate after `step` steps."""
        return _value(
            decay.inverse_time_decay(
                self.initial_learning_rate,
                step,
                self.decay_steps,
                self.decay_rate,
                self.staircase,
            )
        )


@dataclass
class PolynomialDecay(_Decay):
    """As `tf.train.polynomial_decay`."""

    decay_steps: Any
    end_learning_rate: Any = 0.0001
    power: Any = 1.0
    cycle: bool = False
    name: str | None = None

    def __call__(self, step: Any) -> Tensor:
        """Return the learning rate after `step` steps."""
        return _value(
            decay.polynomial_decay(
                self.initial_learning_rate,
                step,
                self.decay_steps,
                self.end_learning_rate,
                self.power,
                self.cycle,
            )
        )


@dataclass
class CosineDecay(_Decay):
    """As `tf.train.cosine_decay`."""

    decay_steps: Any
    alpha: float = 0.0
    name: str | None = None

    def __call__(self, step: Any) -> Tensor:
        """Return the learning rate after `step` steps."""
        return _value(
            decay.cosine_decay(
                self.initial_learning_rate, step, self.decay_steps, self.alpha
            )
        )


@dataclass
class PiecewiseConstantDecay(LearningRateSchedule):
    """As `tf.train.piecewise_constant`."""

    boundaries: Sequence[Any]
    values: Sequence[Any]
    name: str | None = None

    def __call__(self, step: Any) -> Tensor:
        """Return the learning rate after `step` steps."""
        wanted = [float(boundary) for boundary in self.boundaries]
        return _value(decay.piecewise_constant(step, wanted, list(self.values)))


_explain_missing(__name__, "tf.optimizers.schedules")
