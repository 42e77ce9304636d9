"""Layer normalization."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer
from tpuref.base.dtypes import float16
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.initializers import Ones, Zeros
from tpuref.interface.functions.normalization import batch_normalization, moments
from tpuref.interface.functions.variable_scope import variable_scope
from tpuref.interface.layers.arg_scope import add_arg_scope
from tpuref.interface.layers.model_variables import activated, model_variable


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """Return each example with mean 0 and deviation 1, then scaled and shifted.

    The result has the same shape and dtype.  It raises ValueError if the rank or the
    sizes that the variables need are unknown, or an axis does not exist.

    `inputs` is a floating-point tensor ``[batch, ...]``.  `center` and `scale` say
    whether there is an offset ``beta``, and a factor ``gamma``.  `begin_norm_axis` is
    the first of the axes over which mean and deviation are taken, `begin_params_axis`
    the first of those along which offset and factor differ.  Other parameters are those
    of `tf.contrib.layers.fully_connected`; the scope is ``LayerNorm`` by default.

    Examples
    --------
    >>> y = tf.contrib.layers.layer_norm(tf.constant([[1.0, 3.0], [5.0, 9.0]]))
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(y).round(4).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    with variable_scope(scope, "LayerNorm", reuse=reuse):
        value = convert_to_tensor(inputs)
        rank = value.shape.rank
        first, own = (
            None if rank is None or not -rank <= axis < rank else axis % rank
            for axis in (
                integer(
                    "tf.contrib.layers.layer_norm: begin_norm_axis", begin_norm_axis
                ),
                integer(
                    "tf.contrib.layers.layer_norm: begin_params_axis", begin_params_axis
                ),
            )
        )
        sizes = None if own is None else value.shape.as_list()[own:]
        if rank is None or first is None or sizes is None or None in sizes:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"tf.contrib.layers.layer_norm: inputs {value.describe()}: expected "
                f"axes {begin_norm_axis} and {begin_params_axis}, and known sizes from "
                "the latter on; give them with set_shape"
            )

        def parameter(name: str, initializer: Any) -> Any:
            return model_variable(
                name,
                sizes,
                variables_collections,
                dtype=value.dtype,
                initializer=initializer,
                trainable=trainable,
            )

        beta = parameter("beta", Zeros()) if center else None
        gamma = parameter("gamma", Ones()) if scale else None
        mean, variance = moments(value, [*range(first, rank)], keep_dims=True)
        # float16 has no number as small as 1e-12.
        epsilon = 1e-3 if value.dtype == float16 else 1e-12
        outputs = batch_normalization(value, mean, variance, beta, gamma, epsilon)
        outputs = cast(outputs, value.dtype)
        outputs.set_shape(value.shape)
        return activated(outputs, activation_fn, outputs_collections)
