"""Dropout."""

from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.normalization import dropout as drop
from tpuref.interface.layers.function import function_of
from tpuref.interface.layers.layer import Layer
from tpuref.interface.layers.training import chosen


class Dropout(Layer):
    """Random elements set to 0 while training, the others scaled up.

    `rate` is the probability of dropping an element.  `noise_shape` is a shape that
    broadcasts to that of the inputs; along axes of size 1, elements are dropped
    together.  Sizes that are None are those of the inputs.  Other parameters are those
    of `tf.layers.Layer`.
    """

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """Return the inputs, with elements dropped if `training` is true."""

        def dropped() -> Tensor:
            return drop(
                inputs, rate=self.rate, noise_shape=self._noise(inputs), seed=self.seed
            )

        result: Tensor = chosen(training, dropped, lambda: identity(inputs))
        return result

    def _noise(self, inputs: Any) -> Any:
        if not isinstance(self.noise_shape, (list, tuple)):
            return self.noise_shape
        own = inputs.shape.as_list()
        return [
            own[axis] if size is None else size
            for axis, size in enumerate(self.noise_shape)
        ]


dropout = function_of(
    Dropout,
    "dropout",
    """>>> tf.Session().run(tf.layers.dropout(tf.ones([2]))).tolist()
    [1.0, 1.0]""",
    has_variables=False,
    last=("training", "name"),
)
