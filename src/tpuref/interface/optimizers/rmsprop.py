"""RMSprop: steps divided by a running mean of the gradient's size."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import square
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.optimizers.optimizer import Optimizer


class RMSprop(Optimizer):
    """Divides gradients by the root of their running mean square.

    `learning_rate`, `name`, `lr` and `decay` are as for `tf.optimizers.Optimizer`.
    `rho` is the decay rate of the running means.  `momentum` is the fraction of the
    last change that is added.  `epsilon` is a small number that is added to the
    divisor.  `centered` says whether to divide by the spread around the mean gradient.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        lr: float | None = None,
        decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, name, lr, decay)
        self.rho, self.momentum = rho, momentum
        self.epsilon, self.centered = epsilon, centered

    def _slot_names(self) -> Sequence[str]:
        further = {"momentum": self.momentum, "mg": self.centered}
        return ["rms", *(name for name, wanted in further.items() if wanted)]

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        known = dict(zip(self._slot_names(), slots, strict=True))
        new = {"rms": self.rho * known["rms"] + (1.0 - self.rho) * square(grad)}
        spread = new["rms"]
        if self.centered:
            mean = self.rho * known["mg"] + (1.0 - self.rho) * grad
            spread = spread - square(mean)
        step = grad * self._tensor("_rate_now", var.dtype)
        if self.momentum:  # here epsilon is below the root, as in TensorFlow
            step = self.momentum * known["momentum"] + step / sqrt(
                spread + self.epsilon
            )
            new["momentum"] = step
        else:
            step = step / (sqrt(spread) + self.epsilon)
        if self.centered:
            new["mg"] = mean
        return [var - step, *new.values()]
