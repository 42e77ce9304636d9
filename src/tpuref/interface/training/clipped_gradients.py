"""Define an optimizer that clips gradients for a wrapped optimizer."""

from typing import Any

from tpuref.base.arguments import instance_of
from tpuref.interface.functions.clipping import clip_by_global_norm
from tpuref.interface.training.optimizer import Optimizer
from tpuref.interface.training.wrapping import WrappingOptimizer


class ClippedGradients(WrappingOptimizer):
    """Scales gradients down to a maximum global norm for the wrapped optimizer."""

    def __init__(self, optimizer: Optimizer, clip_norm: Any) -> None:
        super().__init__(optimizer, f"ClipByNorm{optimizer.get_name()}")
        self._clip_norm = clip_norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Return the gradients without clipping."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Clip gradients, and apply them."""
        gradients, variables = zip(*grads_and_vars, strict=True)
        clipped, _ = clip_by_global_norm(gradients, self._clip_norm)
        pairs = list(zip(clipped, variables, strict=True))
        return self._opt.apply_gradients(pairs, global_step, name)


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: Any) -> Optimizer:
    """Return an optimizer that scales gradients down to a maximum global norm.

    `optimizer` is the wrapped optimizer, which changes the variables.  `clip_norm` is
    the maximum norm of all gradients together, positive.

    Examples
    --------
    >>> w = tf.Variable([3.0, 4.0])
    >>> descent = tf.train.GradientDescentOptimizer(1.0)
    >>> descent = tf.contrib.estimator.clip_gradients_by_norm(descent, 1.0)
    >>> train_op = descent.minimize(tf.reduce_sum(w * w))
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(train_op)
    ...     [round(float(x), 4) for x in sess.run(w)]
    [2.4, 3.2]
    """
    argument = "tf.contrib.estimator.clip_gradients_by_norm: optimizer"
    instance_of(Optimizer, argument, "a tf.train.Optimizer", optimizer)
    return ClippedGradients(optimizer, clip_norm)
