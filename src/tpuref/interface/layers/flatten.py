"""Flattening."""

import math
from typing import Any

from tpuref.base.arguments import wrong_type
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import check_rank_at_least
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.reshaping import reshape, transpose
from tpuref.interface.layers.layer import Layer


class Flatten(Layer):
    """Each example of a batch as a vector.

    `data_format` is ``"channels_last"``, the default; ``"channels_first"`` moves axis 1
    to the end first.  `**kwargs` is as for `tf.layers.Layer`.

    Examples
    --------
    >>> tf.layers.Flatten()(tf.ones([2, 3, 4])).shape.as_list()
    [2, 12]
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(data_format, str | None):
            raise wrong_type("tf.layers.Flatten: data_format", "a string", data_format)
        self.data_format = data_format or "channels_last"

    def call(self, inputs: Any) -> Tensor:
        """Return a matrix with one row for each example."""
        inputs = convert_to_tensor(inputs)
        check_rank_at_least(1, inputs, f"tf.layers: {self.name}: inputs")
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 2:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        batch, *sizes = inputs.shape.as_list()
        if None not in sizes:
            return reshape(inputs, [-1 if batch is None else batch, math.prod(sizes)])
        return reshape(inputs, [shape(inputs)[0] if batch is None else batch, -1])


def flatten(
    inputs: Any, name: str | None = None, data_format: str = "channels_last"
) -> Tensor:
    """Return each example of a batch as a vector, with a new `tf.layers.Flatten`.

    `inputs` is a tensor ``[batch, ...]``.  `name` and `data_format` are as for
    `tf.layers.Flatten`.
    """
    result: Tensor = Flatten(data_format, name=name)(inputs)
    return result
