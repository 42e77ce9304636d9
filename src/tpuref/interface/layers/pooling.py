"""Pooling layers."""

from typing import Any

from tpuref.engine.graph.tensor import Tensor
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
    """The mean of each window of images; arguments as for `tf.layers.MaxPooling2D`."""

    rank, pool = 2, avg_pool


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
