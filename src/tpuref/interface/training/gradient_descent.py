"""Define gradient descent."""

from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.variable_rows import scatter_sub
from tpuref.interface.training.elementwise import ElementwiseOptimizer


class GradientDescentOptimizer(ElementwiseOptimizer):
    """Subtracts the gradient times the learning rate.

    `learning_rate` is a number, a tensor, or a function without parameters that returns
    one.  `use_locking` and `name` are as for `tf.train.Optimizer`.

    Examples
    --------
    >>> w = tf.get_variable("w", initializer=4.0)
    >>> train_op = tf.train.GradientDescentOptimizer(0.25).minimize(w * w)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(train_op)
    ...     float(sess.run(w))
    2.0
    """

    def __init__(
        self,
        learning_rate: Any,
        use_locking: bool = False,
        name: str = "GradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        return [var - grad * self._tensor("_learning_rate_tensor", var.dtype)]

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Any, indices: Tensor
    ) -> Any:
        rate = self._tensor("_learning_rate_tensor", handle.dtype)
        return scatter_sub(handle, indices, grad * rate)
