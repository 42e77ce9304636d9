"""Adam: steps scaled by running means of the gradient and of its square."""

from collections.abc import Sequence
from typing import Any

from tpuref.base.dtypes import float32
from tpuref.engine.graph.convert import constant
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import maximum, square
from tpuref.interface.functions.arithmetic import pow as power
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.optimizers.optimizer import Optimizer


class Adam(Optimizer):
    """Divides a running mean of gradients by the root of their mean square.

    `learning_rate`, `name`, `lr` and `decay` are as for `tf.optimizers.Optimizer`.
    `beta_1` and `beta_2` are the decay rates of the running means.  `epsilon` is a
    small number that is added to the divisor.  `amsgrad` says whether to divide by the
    largest running mean of squares so far.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        lr: float | None = None,
        decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, name, lr, decay)
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.epsilon, self.amsgrad = epsilon, amsgrad

    def _slot_names(self) -> Sequence[str]:
        return ["m", "v", "vhat"] if self.amsgrad else ["m", "v"]

    def _hyperparameters(self) -> dict[str, Any]:
        known = super()._hyperparameters()
        step = known["_step"]
        # As float32 in both places: 1 - 0.999 loses four digits, which then cancel.
        betas = constant([self.beta_1, self.beta_2], float32)
        fresh = 1.0 - betas
        biases = 1.0 - power(betas, step)
        return {
            **known,
            "_rate_now": known["_rate_now"] * sqrt(biases[1]) / biases[0],
            "_fresh_1": fresh[0],
            "_fresh_2": fresh[1],
        }

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        fresh = [self._tensor(f"_fresh_{k}", var.dtype) for k in (1, 2)]
        mean = slots[0] + (grad - slots[0]) * fresh[0]
        spread = slots[1] + (square(grad) - slots[1]) * fresh[1]
        rate = self._tensor("_rate_now", var.dtype)
        if not self.amsgrad:
            return [var - rate * mean / (sqrt(spread) + self.epsilon), mean, spread]
        largest = maximum(slots[2], spread)
        step = rate * mean / (sqrt(largest) + self.epsilon)
        return [var - step, mean, spread, largest]
