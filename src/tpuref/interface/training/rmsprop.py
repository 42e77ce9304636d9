"""Define the RMSProp optimizer."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import square
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.initializers import Initializer, Ones, Zeros
from tpuref.interface.training.elementwise import ElementwiseOptimizer


class RMSPropOptimizer(ElementwiseOptimizer):
    """RMSProp: divides gradients by the root of their running mean square.

    The slots are ``rms``, with initial value 1, ``momentum`` and, if centered, ``mg``.
    A sparse gradient changes only its rows.  Other parameters are those of
    `tf.train.Optimizer`.  `learning_rate`, `decay`, `momentum` and `epsilon` are
    numbers, tensors, or functions without parameters that return one: the learning
    rate, the decay rate of the mean, the momentum, and the constant added under the
    root.  `centered` says whether to divide by the root of the variance, with the
    square of the gradients' running mean subtracted.
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    def _hyperparameters(self) -> dict[str, Any]:
        return {
            "_learning_rate_tensor": self._learning_rate,
            "_decay_tensor": self._decay,
            "_momentum_tensor": self._momentum,
            "_epsilon_tensor": self._epsilon,
        }

    def _slot_names(self) -> Sequence[str]:
        return ("rms", "mg", "momentum") if self._centered else ("rms", "momentum")

    def _start_of(self, slot: str) -> Initializer:
        return Ones() if slot == "rms" else Zeros()

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        remaining = self._tensor("_decay_tensor", var.dtype)
        mean_square, *means, momentum = slots
        mean_square = mean_square + (square(grad) - mean_square) * (1 - remaining)
        means = [mean + (grad - mean) * (1 - remaining) for mean in means]
        spread = mean_square - square(means[0]) if means else mean_square
        root = sqrt(spread + self._tensor("_epsilon_tensor", var.dtype))
        step = grad * self._tensor("_learning_rate_tensor", var.dtype) / root
        momentum = momentum * self._tensor("_momentum_tensor", var.dtype) + step
        return [var - momentum, mean_square, *means, momentum]
