"""Layers of ``tf.contrib.layers``, which ``tf.contrib.slim`` shows as well.

Their variables are in the collection ``MODEL_VARIABLES``, and `arg_scope` gives them
default arguments.
"""

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import as_list, instance_of, listed, wrong_type
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.interface.functions.activations import relu
from tpuref.interface.functions.activations import softmax as softmax_of
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.initializers import Ones, Zeros, xavier_initializer
from tpuref.interface.functions.normalization import bias_add
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.interface.functions.spatial import convolution
from tpuref.interface.functions.variable_scope import variable_scope
from tpuref.interface.functions.windows import depthwise_conv2d
from tpuref.interface.functions.windows import separable_conv2d as separable
from tpuref.interface.layers.arg_scope import add_arg_scope
from tpuref.interface.layers.dropout import Dropout
from tpuref.interface.layers.flatten import Flatten
from tpuref.interface.layers.formats import sizes, whole
from tpuref.interface.layers.model_variables import activated, model_variable
from tpuref.interface.layers.normalization import BatchNormalization
from tpuref.interface.layers.pooling import AveragePooling2D, MaxPooling2D

_XAVIER, _ZEROS, _ONES = xavier_initializer(), Zeros(), Ones()


def _channels(function: str, inputs: Any, data_format: str | None) -> int:
    """Return the number of channels of images; ValueError if it is unknown."""
    value = inputs.shape
    if value.rank == 4:
        size = value.as_list()[1 if _leads(function, data_format) else 3]
        if size is not None:
            return int(size)
    raise codes.WRONG_ARGUMENT_TYPE.value_error(
        f"tf.contrib.layers.{function}: inputs {inputs.describe()}: expected images of "
        "rank 4 with a known number of channels; give it with set_shape"
    )


def _leads(function: str, data_format: str | None) -> bool:
    if data_format not in (None, "NHWC", "NCHW"):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.contrib.layers.{function}: data_format: expected 'NHWC' or 'NCHW', "
            f"got {data_format!r}"
        )
    return data_format == "NCHW"


def _normalize_or_add_biases(
    outputs: Any,
    units: int,
    normalizer: tuple[Any, Any],
    biases: tuple[Any, Any],
    data_format: str | None,
    variables_collections: Any,
    trainable: bool,
) -> Any:
    """Normalize the outputs of a convolution, or add biases."""
    function, arguments = normalizer
    initializer, regularizer = biases
    if function is not None:
        return function(outputs, **(arguments or {}))
    if initializer is None:
        return outputs
    added = model_variable(
        "biases",
        [units],
        variables_collections,
        dtype=outputs.dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
    )
    return bias_add(outputs, added, data_format=data_format or "NHWC")


@add_arg_scope
def conv2d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    """Return the activation of a convolution of images.

    `inputs` are images ``[batch, height, width, channels]``, or ``[batch, channels,
    height, width]`` with the `data_format` ``"NCHW"``.  `num_outputs` is the number of
    filters.  `kernel_size`, `stride` and `rate` are the size of the window, its steps,
    and the distance of its elements: a number, or one for height and one for width.
    `padding` is ``"SAME"`` or ``"VALID"``.  Other parameters are those of
    `tf.contrib.layers.fully_connected`; the scope is ``Conv`` by default.

    Examples
    --------
    >>> y = tf.contrib.layers.conv2d(tf.ones([1, 4, 4, 3]), 2, 3, stride=2)
    >>> y.shape.as_list(), [v.name for v in tf.trainable_variables()]
    ([1, 2, 2, 2], ['Conv/weights:0', 'Conv/biases:0'])
    """
    function = "conv2d"
    units = whole(function, "num_outputs", num_outputs)
    with variable_scope(scope, "Conv", [inputs], reuse=reuse):
        inputs = convert_to_tensor(inputs)
        channels = _channels(function, inputs, data_format)
        weights = model_variable(
            "weights",
            [*sizes(function, "kernel_size", kernel_size, 2), channels, units],
            variables_collections,
            dtype=inputs.dtype,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            trainable=trainable,
        )
        outputs = convolution(
            inputs,
            weights,
            padding=padding,
            strides=list(sizes(function, "stride", stride, 2)),
            dilations=list(sizes(function, "rate", rate, 2)),
            data_format=data_format,
        )
        outputs = _normalize_or_add_biases(
            outputs,
            units,
            (normalizer_fn, normalizer_params),
            (biases_initializer, biases_regularizer),
            data_format,
            variables_collections,
            trainable,
        )
        return activated(outputs, activation_fn, outputs_collections)


@add_arg_scope
def separable_conv2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Return the activation of a convolution of each channel, then across channels.

    `num_outputs` is the number of filters across channels; None leaves that step out.
    `depth_multiplier` is the number of outputs of each channel before that step.
    `pointwise_initializer` is the initializer across channels, by default
    `weights_initializer`.  Other parameters are those of `tf.contrib.layers.conv2d`;
    the scope is ``SeparableConv2d`` by default.

    Examples
    --------
    >>> x = tf.ones([1, 4, 4, 3])
    >>> y = tf.contrib.layers.separable_conv2d(x, None, 3, biases_initializer=None)
    >>> y.shape.as_list(), [v.name for v in tf.trainable_variables()]
    ([1, 4, 4, 3], ['SeparableConv2d/depthwise_weights:0'])
    """
    function = "separable_conv2d"
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse):
        inputs = convert_to_tensor(inputs)
        channels = _channels(function, inputs, data_format)
        steps = sizes(function, "stride", stride, 2)
        strides = [1, 1, *steps] if _leads(function, data_format) else [1, *steps, 1]

        def weights(name: str, shape: list[int], initializer: Any) -> Any:
            return model_variable(
                name,
                shape,
                variables_collections,
                dtype=inputs.dtype,
                initializer=initializer,
                regularizer=weights_regularizer,
                trainable=trainable,
            )

        window = sizes(function, "kernel_size", kernel_size, 2)
        each = [*window, channels, depth_multiplier]
        depthwise = weights("depthwise_weights", each, weights_initializer)
        rates = list(sizes(function, "rate", rate, 2))
        units = channels * depth_multiplier
        if num_outputs is None:
            outputs = depthwise_conv2d(
                inputs, depthwise, strides, padding, rates, data_format=data_format
            )
        else:
            pointwise = weights(
                "pointwise_weights",
                [1, 1, units, num_outputs],
                pointwise_initializer or weights_initializer,
            )
            units = num_outputs
            outputs = separable(
                inputs,
                depthwise,
                pointwise,
                strides,
                padding,
                rates,
                data_format=data_format,
            )
        outputs = _normalize_or_add_biases(
            outputs,
            units,
            (normalizer_fn, normalizer_params),
            (biases_initializer, biases_regularizer),
            data_format,
            variables_collections,
            trainable,
        )
        return activated(outputs, activation_fn, outputs_collections)


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: Any = None,
    param_regularizers: Any = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Any:
    """Return inputs with mean 0 and deviation 1 over a batch, then scaled and shifted.

    `decay` is the fraction of the moving averages that an update keeps.
    `param_initializers` and `param_regularizers` are dictionaries for ``beta``,
    ``gamma``, ``moving_mean``, ``moving_variance``.  `updates_collections` is the
    collection of the updates; with None the outputs depend on them.  `is_training`, a
    bool or a tensor, says whether moments are those of the batch.  `renorm_decay` is
    the momentum of the averages of renormalization.  `batch_weights`,
    `zero_debias_moving_mean` and `adjustment` are not supported; their defaults are
    accepted.  `center`, `scale`, `epsilon`, `fused`, `renorm` and `renorm_clipping` are
    as for `tf.layers.BatchNormalization`, the others as for `tf.contrib.layers.conv2d`;
    the scope is ``BatchNorm`` by default.

    Examples
    --------
    >>> y = tf.contrib.layers.batch_norm(tf.ones([2, 3]), scale=True)
    >>> [v.name for v in tf.trainable_variables()]
    ['BatchNorm/gamma:0', 'BatchNorm/beta:0']
    """
    others = (batch_weights, adjustment)
    if zero_debias_moving_mean or any(one is not None for one in others):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            "tf.contrib.layers.batch_norm: batch_weights, zero_debias_moving_mean "
            "and adjustment are not supported; leave them at their defaults"
        )
    initial, regular = param_initializers or {}, param_regularizers or {}
    lead = _leads("batch_norm", data_format)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as own:
        layer = BatchNormalization(
            axis=1 if lead else -1,
            momentum=decay,
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            beta_initializer=initial.get("beta", _ZEROS),
            gamma_initializer=initial.get("gamma", _ONES),
            moving_mean_initializer=initial.get("moving_mean", _ZEROS),
            moving_variance_initializer=initial.get("moving_variance", _ONES),
            beta_regularizer=regular.get("beta"),
            gamma_regularizer=regular.get("gamma"),
            fused=fused,
            trainable=trainable,
            name=own.name,
            _scope=own,
            _reuse=reuse,
        )
        outputs = layer(convert_to_tensor(inputs), training=is_training)
        graph = get_default_graph()
        for variable in layer.variables:
            name = variable.op.name.rpartition("/")[2]
            for collection in _collections(name, variables_collections):
                graph.add_to_collection(collection, variable)
        if updates_collections != GraphKeys.UPDATE_OPS:
            outputs = _move(layer.updates, updates_collections, outputs)
        return activated(outputs, activation_fn, outputs_collections)


def _collections(name: str, more: Any) -> list[Any]:
    more = more or []
    if isinstance(more, dict):
        more = more.get(name, [])
    return [GraphKeys.MODEL_VARIABLES, *more]


def _move(updates: Any, collections: Any, outputs: Any) -> Any:
    """Move updates to other collections, or let the outputs depend on them."""
    graph = get_default_graph()
    waiting = graph.get_collection_ref(GraphKeys.UPDATE_OPS)
    waiting[:] = [one for one in waiting if not any(one is own for own in updates)]
    if collections is None:
        with control_dependencies(updates):
            return identity(outputs)
    for update in updates:
        graph.add_to_collections(collections, update)
    return outputs


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """Return inputs of which each element is kept with a probability, or all of them.

    `keep_prob` is the probability; kept elements are divided by it.  `is_training` says
    whether any are dropped; a bool or a tensor.  `inputs`, `noise_shape` and `seed` are
    as for `tf.nn.dropout`.  `outputs_collections` and `scope` are as for
    `tf.contrib.layers.conv2d`; the scope is ``Dropout`` by default.
    """
    if not hasattr(keep_prob, "dtype"):
        keep_prob = static_number(keep_prob, "tf.contrib.layers.dropout: keep_prob")
    with variable_scope(scope, "Dropout", [inputs]):
        layer = Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed)
        outputs = layer(convert_to_tensor(inputs), training=is_training)
        return activated(outputs, None, outputs_collections)


def _pooling(layer: Any, default: str, summary: str) -> Callable[..., Any]:
    def pooled(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = "VALID",
        data_format: str = "NHWC",
        outputs_collections: Any = None,
        scope: Any = None,
    ) -> Any:
        lead = _leads(default, data_format)
        with variable_scope(scope, default, [inputs]):
            outputs = layer(
                kernel_size,
                stride,
                padding,
                "channels_first" if lead else "channels_last",
            )(convert_to_tensor(inputs))
            return activated(outputs, None, outputs_collections)

    pooled.__doc__ = f"{summary}\n\nParameters are those of `tf.contrib.layers.conv2d`."
    pooled.__name__ = pooled.__qualname__ = default.replace("Pool", "_pool").lower()
    return add_arg_scope(pooled)


max_pool2d = _pooling(
    MaxPooling2D, "MaxPool2D", "Return the maximum of each window of images."
)
avg_pool2d = _pooling(
    AveragePooling2D, "AvgPool2D", "Return the mean of each window of images."
)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Return each example of a batch as a vector."""
    with variable_scope(scope, "Flatten", [inputs]):
        return activated(Flatten()(inputs), None, outputs_collections)


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """Return the softmax along the last axis."""
    with variable_scope(scope, "softmax", [logits]):
        return softmax_of(logits)


@add_arg_scope
def repeat(
    inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Return a layer of a layer and so on: `repetitions` of them, one after another.

    `layer` is the layer; it gets the inputs, `args` and `kwargs`, and its own scope:
    ``scope_1``, ``scope_2`` and so on below ``scope``.
    """
    _check_layer("repeat", layer)
    instance_of(int, "tf.contrib.layers.repeat: repetitions", "an int", repetitions)
    scope = kwargs.pop("scope", None)
    name = getattr(layer, "__name__", "repeat")
    with variable_scope(scope, "Repeat", [inputs]):
        for number in range(1, repetitions + 1):
            inputs = layer(inputs, *args, scope=f"{scope or name}_{number}", **kwargs)
        return inputs


@add_arg_scope
def stack(
    inputs: Any, layer: Callable[..., Any], stack_args: Any, **kwargs: Any
) -> Any:
    """Return a layer of a layer and so on, each with the next of `stack_args`."""
    entries = listed("tf.contrib.layers.stack: stack_args", stack_args)
    _check_layer("stack", layer)
    scope = kwargs.pop("scope", None)
    name = getattr(layer, "__name__", "stack")
    with variable_scope(scope, "Stack", [inputs]):
        for number, entry in enumerate(entries, 1):
            own = as_list(entry)
            inputs = layer(inputs, *own, scope=f"{scope or name}_{number}", **kwargs)
        return inputs


def _check_layer(function: str, layer: Any) -> None:
    if not callable(layer):
        raise wrong_type(f"tf.contrib.layers.{function}: layer", "a function", layer)
