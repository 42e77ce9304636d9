"""Densely connected layers."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.linalg import matmul, tensordot
from tpuref.interface.functions.normalization import bias_add
from tpuref.interface.layers.formats import whole
from tpuref.interface.layers.function import function_of
from tpuref.interface.layers.layer import Layer
from tpuref.interface.layers.named import activation_of, initializer_of


class Dense(Layer):
    """``activation(inputs @ kernel + bias)`` along the last axis.

    Other parameters are those of `tf.layers.Layer`.  It raises ValueError if the size
    of the last axis of the input is unknown.

    `units` is the size of the output's last axis.  `activation` is a function of a
    tensor or its name; None for none.  The initializers of kernel and bias may be
    names; None is the initializer of the scope, by default the uniform one of Glorot
    and Bengio (2010).  The regularizers are functions of kernel, bias and output whose
    results join the regularization losses.  `kernel_constraint` and `bias_constraint`
    are functions that optimizers apply after an update.

    Examples
    --------
    >>> layer = tf.layers.Dense(3, kernel_initializer=tf.ones_initializer())
    >>> y = layer(tf.constant([[1.0, 2.0]]))
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(y).tolist()
    [[3.0, 3.0, 3.0]]
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable, name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.units = whole(self.name, "units", units)
        self.activation = activation_of(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint

    def build(self, input_shape: Any) -> None:
        """Create kernel and bias."""
        input_shape = as_shape(input_shape)
        if not input_shape.rank or input_shape.rank < 2 or input_shape[-1] is None:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"tf.layers.dense: {self.name}: inputs: expected rank 2 or more and a "
                f"known last size, got shape {input_shape}; give it with set_shape"
            )
        self.kernel = self.add_weight(
            "kernel",
            [input_shape.as_list()[-1], self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """Return the output for a tensor of rank 2 or more."""
        rank = inputs.shape.rank
        if rank == 2:
            outputs = matmul(inputs, self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


dense = function_of(
    Dense,
    "dense",
    """>>> y = tf.layers.dense(tf.ones([2, 3]), 4, activation=tf.nn.relu)
    >>> y.shape.as_list(), [v.name for v in tf.trainable_variables()]
    ([2, 4], ['dense/kernel:0', 'dense/bias:0'])""",
)
