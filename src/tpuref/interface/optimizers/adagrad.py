"""Adagrad: steps divided by the size of all gradients so far."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import square
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.initializers import Constant, Initializer
from tpuref.interface.optimizers.optimizer import Optimizer


class Adagrad(Optimizer):
    """Divides gradients by the root of the sum of all their squares.

    `learning_rate`, `name`, `lr` and `decay` are as for `tf.optimizers.Optimizer`.
    `epsilon` is a small number that is added to the divisor.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str = "Adagrad",
        lr: float | None = None,
        decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, name, lr, decay)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def _start_of(self, slot: str) -> Initializer:
        return Constant(self.initial_accumulator_value)

    def _slot_names(self) -> Sequence[str]:
        return ["accumulator"]

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        total = slots[0] + square(grad)
        rate = self._tensor("_rate_now", var.dtype)
        return [var - rate * grad / (sqrt(total) + self.epsilon), total]
