"""Pooling layers."""

from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.reshaping import expand_dims, squeeze
from tpuref.interface.functions.windows import avg_pool, max_pool
from tpuref.interface.layers.formats import channels_lead, layout, padding_of, sizes
from tpuref.interface.layers.function import function_of
from tpuref.interface.layers.layer import Layer


class _Pooling(Layer):
    """The base of pooling layers; a subclass defines the reduction of a window."""

    rank: int
    pool: Any

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = sizes(self.name, "pool_size", pool_size, self.rank)
        steps = pool_size if strides is None else strides
        self.strides = sizes(self.name, "strides", steps, self.rank)
        self.padding = padding_of(self.name, padding)
        self.lead = channels_lead(self.name, data_format)

    def call(self, inputs: Any) -> Tensor:
        """Return one element for each window of images."""
        pooled: Tensor = type(self).pool(
            inputs, self.pool_size, self.strides, self.padding, layout(self.lead, 2)
        )
        return pooled


class _Pooling1D(_Pooling):
    """Pools sequences as images with one column."""

    rank = 1

    def call(self, inputs: Any) -> Tensor:
        """Return one element for each window of sequences."""
        column = 3 if self.lead else 2
        pooled = type(self).pool(
            expand_dims(inputs, column),
            (*self.pool_size, 1),
            (*self.strides, 1),
            self.padding,
            layout(self.lead, 2),
        )
        return squeeze(pooled, [column])


class MaxPooling2D(_Pooling):
    """The greatest element of each window of images.

    `pool_size` and `strides` are one integer or a pair for rows and columns: the size
    of the window and its step.  `padding` is ``"valid"`` or ``"same"``.  `data_format`
    is ``"channels_last"`` or ``"channels_first"``.  Other parameters are those of
    `tf.layers.Layer`.

    Examples
    --------
    >>> tf.layers.MaxPooling2D(2, 2)(tf.ones([1, 4, 4, 3])).shape.as_list()
    [1, 2, 2, 3]
    """

    rank, pool = 2, max_pool


class AveragePooling2D(_Pooling):
    """The mean of each window of images; arguments as for `tf.layers.MaxPooling2D`.

    Examples
    --------
    >>> tf.layers.AveragePooling2D(2, 2)(tf.ones([1, 4, 4, 3])).shape.as_list()
    [1, 2, 2, 3]
    """

    rank, pool = 2, avg_pool


class MaxPooling1D(_Pooling1D):
    """The greatest element of each window of sequences.

    `pool_size` and `strides` are integers: the size of the window and its step.
    `padding`, `data_format`, `name` and `**kwargs` are as for `tf.layers.MaxPooling2D`.

    Examples
    --------
    >>> tf.layers.MaxPooling1D(2, 2)(tf.ones([1, 4, 3])).shape.as_list()
    [1, 2, 3]
    """

    pool = max_pool


class AveragePooling1D(_Pooling1D):
    """The mean of each window of sequences; arguments as for `tf.layers.MaxPooling1D`.

    Examples
    --------
    >>> tf.layers.AveragePooling1D(2, 2)(tf.ones([1, 4, 3])).shape.as_list()
    [1, 2, 3]
    """

    pool = avg_pool


max_pooling2d = function_of(
    MaxPooling2D,
    "max_pooling2d",
    """>>> tf.layers.max_pooling2d(tf.ones([1, 4, 4, 3]), 2, 2).shape.as_list()
    [1, 2, 2, 3]""",
    has_variables=False,
)

average_pooling2d = function_of(
    AveragePooling2D,
    "average_pooling2d",
    """>>> tf.layers.average_pooling2d(tf.ones([1, 4, 4, 3]), 2, 2).shape.as_list()
    [1, 2, 2, 3]""",
    has_variables=False,
)

max_pooling1d = function_of(
    MaxPooling1D,
    "max_pooling1d",
    """>>> tf.layers.max_pooling1d(tf.ones([1, 4, 3]), 2, 2).shape.as_list()
    [1, 2, 3]""",
    has_variables=False,
)

average_pooling1d = function_of(
    AveragePooling1D,
    "average_pooling1d",
    """>>> tf.layers.average_pooling1d(tf.ones([1, 4, 3]), 2, 2).shape.as_list()
    [1, 2, 3]""",
    has_variables=False,
)
