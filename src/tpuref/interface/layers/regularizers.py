"""Regularizers: terms of the loss that grow with the weights."""

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.arithmetic import multiply
from tpuref.interface.functions.losses import l2_loss
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.scopes import name_scope

Regularizer = Callable[[Any], Tensor | None]


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Return a function that computes `scale` times half the squares of weights.

    The function of scale 0 gives None.  It raises ValueError if `scale` is no number or
    below 0.

    Examples
    --------
    >>> loss = tf.contrib.layers.l2_regularizer(0.1)(tf.constant([2.0, 4.0]))
    >>> float(tf.Session().run(loss))
    1.0
    """
    return _regularizer("l2_regularizer", scale, scope, l2_loss)


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Return a function that computes `scale` times the absolute weights.

    Parameters are those of `tf.contrib.layers.l2_regularizer`.

    Examples
    --------
    >>> loss = tf.contrib.layers.l1_regularizer(0.5)(tf.constant([2.0, -4.0]))
    >>> float(tf.Session().run(loss))
    3.0
    """
    return _regularizer(
        "l1_regularizer", scale, scope, lambda weights: reduce_sum(absolute(weights))
    )


def _regularizer(
    name: str, scale: float, scope: str | None, size: Callable[[Any], Tensor]
) -> Regularizer:
    if not isinstance(scale, (int, float)) or scale < 0 or isinstance(scale, bool):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.contrib.layers.{name}: scale: expected a number, 0 or more, got "
            f"{scale!r}"
        )

    def regularizer(weights: Any) -> Tensor | None:
        if scale == 0:
            return None
        with name_scope(scope, name) as own:
            return multiply(float(scale), size(weights), name=own)

    return regularizer
