"""Densely connected layers as ``tf.contrib.layers`` has them."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.interface.functions.activations import relu
from tpuref.interface.functions.initializers import Zeros, xavier_initializer
from tpuref.interface.functions.linalg import tensordot
from tpuref.interface.functions.normalization import bias_add
from tpuref.interface.functions.variable_scope import variable_scope
from tpuref.interface.layers.arg_scope import add_arg_scope
from tpuref.interface.layers.formats import whole
from tpuref.interface.layers.model_variables import activated, model_variable

_XAVIER, _ZEROS = xavier_initializer(), Zeros()


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Return ``activation_fn(inputs @ weights + biases)`` along the last axis.

    It raises ValueError if the rank of the inputs is less than 2, or their last size is
    unknown.

    Parameters
    ----------
    inputs
        A floating-point tensor of rank 2 or more.
    num_outputs
        The size of the output's last axis.
    activation_fn
        A function of the result; None for none.
    normalizer_fn, normalizer_params
        A function that is applied instead of adding biases, and its named arguments.
    weights_initializer, biases_initializer
        Initializers; without one of biases, there are none.
    weights_regularizer, biases_regularizer
        Functions of a variable whose results join the regularization losses.
    reuse
        Whether to share the variables that the scope has.
    variables_collections, outputs_collections
        Collections to add the variables, and the result, to.
    trainable
        Whether the variables join the collection of trainable variables.
    scope
        The variable scope, by default ``fully_connected``.

    Examples
    --------
    >>> y = tf.contrib.layers.fully_connected(tf.ones([2, 3]), 4)
    >>> y.shape.as_list(), [v.name for v in tf.trainable_variables()]
    ([2, 4], ['fully_connected/weights:0', 'fully_connected/biases:0'])
    """
    function = "tf.contrib.layers.fully_connected"
    units = whole(function, "num_outputs", num_outputs)
    with variable_scope(scope, "fully_connected", reuse=reuse):
        value = convert_to_tensor(inputs)
        sizes = value.shape.as_list() if value.shape.rank else []
        if len(sizes) < 2 or sizes[-1] is None:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"{function}: inputs {value.describe()}: expected rank 2 or more and a "
                "known last size; give it with set_shape"
            )
        options = {"dtype": value.dtype, "trainable": trainable}
        weights = model_variable(
            "weights",
            [sizes[-1], units],
            variables_collections,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            **options,
        )
        outputs = tensordot(value, weights, [[len(sizes) - 1], [0]])
        outputs.set_shape([*sizes[:-1], units])
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = model_variable(
                "biases",
                [units],
                variables_collections,
                initializer=biases_initializer,
                regularizer=biases_regularizer,
                **options,
            )
            outputs = bias_add(outputs, biases)
        return activated(outputs, activation_fn, outputs_collections)
