"""Options of gradients: aggregation, and the result for unconnected sources."""

import enum


class AggregationMethod:
    """TensorFlow's methods of adding gradients; tpuref always uses ``AddN``."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """The gradient of a source that the target does not depend on: None or zeros.

    Examples
    --------
    >>> x, y = tf.constant(1.0), tf.constant(2.0)
    >>> tf.gradients(x * x, y)
    [None]
    >>> zero = tf.UnconnectedGradients.ZERO
    >>> (gradient,) = tf.gradients(x * x, y, unconnected_gradients=zero)
    >>> float(tf.Session().run(gradient))
    0.0
    """

    NONE = "none"
    ZERO = "zero"
