"""Define gradient descent with momentum."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.training.elementwise import ElementwiseOptimizer


class MomentumOptimizer(ElementwiseOptimizer):
    """Updates variables by a running sum of the gradients.

    ``accumulation = momentum * accumulation + gradient``, and the variable decreases by
    ``learning_rate * accumulation``.  The slot is ``momentum``.  A sparse gradient
    changes only its rows; the momentum of other rows is neither applied nor decayed.
    Other parameters are those of `tf.train.Optimizer`.  `learning_rate` and `momentum`
    are each a number, a tensor, or a function without parameters that returns one.
    `use_nesterov` says whether to use Nesterov momentum: the variable decreases by
    ``learning_rate * (gradient + momentum * accumulation)``, with the new accumulation.

    Examples
    --------
    >>> w = tf.get_variable("w", initializer=1.0)
    >>> train_op = tf.train.MomentumOptimizer(0.5, 0.5).minimize(w)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     for _ in range(2):
    ...         sess.run(train_op)
    ...     float(sess.run(w))
    -0.25
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _hyperparameters(self) -> dict[str, Any]:
        return {
            "_learning_rate_tensor": self._learning_rate,
            "_momentum_tensor": self._momentum,
        }

    def _slot_names(self) -> Sequence[str]:
        return ("momentum",)

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        rate = self._tensor("_learning_rate_tensor", var.dtype)
        momentum = self._tensor("_momentum_tensor", var.dtype)
        accumulation = slots[0] * momentum + grad
        if self._use_nesterov:
            ahead = grad * rate + accumulation * momentum * rate
            return [var - ahead, accumulation]
        return [var - accumulation * rate, accumulation]
