"""Learning rates that change with the steps: ``tf.optimizers.schedules``."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.training import learning_rate_decay as decay


class LearningRateSchedule:
    """The base of schedules; a subclass defines ``__call__(step)``.

    Examples
    --------
    >>> class Halved(tf.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 1.0 / (step + 1.0)
    >>> with tf.eager_execution():
    ...     w, optimizer = tf.Variable(1.0), tf.optimizers.SGD(Halved())
    ...     for _ in range(2):
    ...         _ = optimizer.apply_gradients([(tf.constant(1.0), w)])
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


@dataclass(eq=False)
class _Decay(LearningRateSchedule):
    """A schedule of a function of `tf.train`.

    It takes the learning rate, the step, and the fields in between that and the name.
    """

    initial_learning_rate: Any

    function: ClassVar[Callable[..., Any]]

    def __call__(self, step: Any) -> Tensor:
        """Return the learning rate after `step` steps."""
        rate, *others, _ = (getattr(self, field.name) for field in fields(self))
        return _value(self.function(rate, step, *others))

    def get_config(self) -> dict[str, Any]:
        """Return the attributes."""
        return asdict(self)


def _value(rate: Any) -> Tensor:
    """Return the tensor of a decay, which in eager mode is a function."""
    value: Tensor = rate() if executing_eagerly() and callable(rate) else rate
    return value


@dataclass(eq=False)
class ExponentialDecay(_Decay):
    """As `tf.train.exponential_decay`."""

    decay_steps: Any
    decay_rate: Any
    staircase: bool = False
    name: str | None = None

    function = staticmethod(decay.exponential_decay)


@dataclass(eq=False)
class InverseTimeDecay(_Decay):
    """As `tf.train.inverse_time_decay`."""

    decay_steps: Any
    decay_rate: Any
    staircase: bool = False
    name: str | None = None

    function = staticmethod(decay.inverse_time_decay)


@dataclass(eq=False)
class PolynomialDecay(_Decay):
    """As `tf.train.polynomial_decay`."""

    decay_steps: Any
    end_learning_rate: Any = 0.0001
    power: Any = 1.0
    cycle: bool = False
    name: str | None = None

    function = staticmethod(decay.polynomial_decay)


@dataclass(eq=False)
class CosineDecay(_Decay):
    """As `tf.train.cosine_decay`."""

    decay_steps: Any
    alpha: float = 0.0
    name: str | None = None

    function = staticmethod(decay.cosine_decay)


@dataclass(eq=False)
class PiecewiseConstantDecay(LearningRateSchedule):
    """As `tf.train.piecewise_constant`."""

    boundaries: Sequence[Any]
    values: Sequence[Any]
    name: str | None = None

    def __call__(self, step: Any) -> Tensor:
        """Return the learning rate after `step` steps."""
        wanted = [float(boundary) for boundary in self.boundaries]
        return _value(decay.piecewise_constant(step, wanted, list(self.values)))
