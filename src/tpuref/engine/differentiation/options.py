"""How gradients are added up, and what stands for one that does not exist."""

from __future__ import annotations

import enum

__all__ = ["AggregationMethod", "UnconnectedGradients"]


class AggregationMethod:
    """How the parts of a gradient are added up; all of them give the same sum.

    Attributes
    ----------
    DEFAULT, ADD_N, EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N
        The names that TensorFlow has; tpuref adds the parts with ``AddN``.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """What the gradient by something is on which the result does not depend.

    Attributes
    ----------
    NONE
        None.
    ZERO
        Zeros of its shape.

    Examples
    --------
    >>> import tpuref as tf
    >>> x, y = tf.constant(1.0), tf.constant(2.0)
    >>> tf.gradients(x * x, y)
    [None]
    >>> zero = tf.UnconnectedGradients.ZERO
    >>> (slope,) = tf.gradients(x * x, y, unconnected_gradients=zero)
    >>> float(tf.Session().run(slope))
    0.0
    """

    NONE = "none"
    ZERO = "zero"
