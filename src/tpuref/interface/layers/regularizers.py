"""Regularizers: terms of the loss that grow with the weights."""

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import multiply
from tpuref.interface.functions.losses import l2_loss
from tpuref.interface.functions.scopes import name_scope


def l2_regularizer(
    scale: float, scope: str | None = None
) -> Callable[[Any], Tensor | None]:
    """Return a function that computes `scale` times half the squares of weights.

    The function of scale 0 gives None.  It raises ValueError if `scale` is no number or
    below 0.

    Examples
    --------
    >>> loss = tf.contrib.layers.l2_regularizer(0.1)(tf.constant([2.0, 4.0]))
    >>> float(tf.Session().run(loss))
    1.0
    """
    if not isinstance(scale, (int, float)) or scale < 0 or isinstance(scale, bool):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            "tf.contrib.layers.l2_regularizer: scale: expected a number, 0 or more, "
            f"got {scale!r}"
        )

    def regularizer(weights: Any) -> Tensor | None:
        if scale == 0:
            return None
        with name_scope(scope, "l2_regularizer") as own:
            return multiply(float(scale), l2_loss(weights), name=own)

    return regularizer
