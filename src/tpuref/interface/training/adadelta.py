"""Define the Adadelta optimizer."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import square
from tpuref.interface.functions.exponentials import rsqrt, sqrt
from tpuref.interface.training.elementwise import ElementwiseOptimizer


class AdadeltaOptimizer(ElementwiseOptimizer):
    """Adadelta: scales gradients by the ratio of earlier updates to gradients.

    The slots are ``accum`` and ``accum_update``.  A sparse gradient changes only its
    rows.  `learning_rate`, `rho` and `epsilon` are numbers, tensors, or functions
    without parameters that return one: the learning rate, the decay rate of the means,
    and the constant added under the roots.  `use_locking` and `name` are as for
    `tf.train.Optimizer`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _hyperparameters(self) -> dict[str, Any]:
        return {"_lr_t": self._lr, "_rho_t": self._rho, "_epsilon_t": self._epsilon}

    def _slot_names(self) -> Sequence[str]:
        return "accum", "accum_update"

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        squares, changes = slots
        rho = self._tensor("_rho_t", var.dtype)
        epsilon = self._tensor("_epsilon_t", var.dtype)
        squares = squares * rho + square(grad) * (1 - rho)
        change = sqrt(changes + epsilon) * rsqrt(squares + epsilon) * grad
        changes = changes * rho + square(change) * (1 - rho)
        return [var - change * self._tensor("_lr_t", var.dtype), squares, changes]
