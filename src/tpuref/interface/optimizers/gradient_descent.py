"""Gradient descent, with and without momentum."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.optimizers.optimizer import Optimizer


class SGD(Optimizer):
    """Subtracts the gradient times the learning rate.

    `learning_rate`, `name`, `lr` and `decay` are as for `tf.optimizers.Optimizer`.
    `momentum` is the fraction of the last change that is added.
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        lr: float | None = None,
        decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, name, lr, decay)
        self.momentum = momentum
        self.nesterov = nesterov

    def _slot_names(self) -> Sequence[str]:
        return ["momentum"] if self.momentum else []

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        change = grad * self._tensor("_rate_now", var.dtype)
        if not slots:
            return [var - change]
        velocity = slots[0] * self.momentum - change
        step = velocity * self.momentum - change if self.nesterov else velocity
        return [var + step, velocity]
