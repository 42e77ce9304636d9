"""Functions of neural networks: activations, losses, convolution and pooling."""

from __future__ import annotations

from typing import Any

from tpuref.base.dtypes import bfloat16, float16, float32
from tpuref.functions.arguments import shape_tensor, static_integers
from tpuref.functions.arrays import shape, stop_gradient
from tpuref.functions.indexing import gather
from tpuref.functions.math import tanh as tanh
from tpuref.functions.random import random_uniform
from tpuref.functions.sorting import in_top_k as in_top_k
from tpuref.functions.sorting import top_k as top_k
from tpuref.graph.build import apply
from tpuref.graph.convert import convert_operands, convert_to_tensor
from tpuref.graph.tensor import Tensor

__all__ = [
    "avg_pool",
    "batch_normalization",
    "bias_add",
    "conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_softmax",
    "max_pool",
    "moments",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "top_k",
]

# -- activations -------------------------------------------------------------------


def relu(features: Any, name: str | None = None) -> Tensor:
    """Return ``max(features, 0)``.

    Parameters
    ----------
    features
        A tensor of real numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.relu([-2.0, 3.0])).tolist()
    [0.0, 3.0]
    """
    result: Tensor = apply("Relu", features, name=name)
    return result


def relu6(features: Any, name: str | None = None) -> Tensor:
    """Return ``min(max(features, 0), 6)``.

    Parameters
    ----------
    features
        A tensor of real numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.relu6([-2.0, 3.0, 9.0])).tolist()
    [0.0, 3.0, 6.0]
    """
    result: Tensor = apply("Relu6", features, name=name)
    return result


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """Return the features, those below 0 multiplied by `alpha`.

    Parameters
    ----------
    features
        A floating-point tensor; integers are cast to float32.
    alpha
        The slope below 0.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A floating-point tensor of the same shape.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.leaky_relu([-2.0, 3.0], alpha=0.5)).tolist()
    [-1.0, 3.0]
    """
    value = convert_to_tensor(features)
    if value.dtype.is_integer:
        value = apply("Cast", value, dtype=float32.name)
    result: Tensor = apply("LeakyRelu", value, alpha=float(alpha), name=name)
    return result


def elu(features: Any, name: str | None = None) -> Tensor:
    """Return the features, those below 0 as ``exp(features) - 1``.

    Parameters
    ----------
    features
        A floating-point tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.elu([0.0, 3.0])).tolist()
    [0.0, 3.0]
    """
    result: Tensor = apply("Elu", features, name=name)
    return result


def selu(features: Any, name: str | None = None) -> Tensor:
    """Return the scaled exponential linear unit of Klambauer et al. (2017).

    Parameters
    ----------
    features
        A floating-point tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.nn.selu(0.0)))
    0.0
    """
    result: Tensor = apply("Selu", features, name=name)
    return result


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Return ``1 / (1 + exp(-x))``.

    Parameters
    ----------
    x
        A floating-point tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.sigmoid([0.0, 1000.0])).tolist()
    [0.5, 1.0]
    """
    result: Tensor = apply("Sigmoid", x, name=name)
    return result


def softplus(features: Any, name: str | None = None) -> Tensor:
    """Return ``log(1 + exp(features))``.

    Parameters
    ----------
    features
        A floating-point tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.nn.softplus(1000.0)))
    1000.0
    """
    result: Tensor = apply("Softplus", features, name=name)
    return result


def softsign(features: Any, name: str | None = None) -> Tensor:
    """Return ``features / (1 + abs(features))``.

    Parameters
    ----------
    features
        A floating-point tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.softsign([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    result: Tensor = apply("Softsign", features, name=name)
    return result


def softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Return ``exp(logits)`` divided by its sum along an axis.

    Parameters
    ----------
    logits
        A floating-point tensor of rank 1 or more.
    axis
        The axis of the classes, by default the last.
    name
        The name of the operation.
    dim
        The old name of `axis`.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype, which sums to 1 along the axis.

    Raises
    ------
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.softmax([5.0, 5.0])).tolist()
    [0.5, 0.5]
    """
    along = _class_axis("tf.nn.softmax", axis, dim)
    result: Tensor = apply("Softmax", logits, axis=along, name=name)
    return result


def log_softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Return the logarithm of the softmax, without the loss of taking it afterwards.

    Parameters
    ----------
    logits
        A floating-point tensor of rank 1 or more.
    axis
        The axis of the classes, by default the last.
    name
        The name of the operation.
    dim
        The old name of `axis`.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Raises
    ------
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.log_softmax([1000.0, 0.0])).tolist()
    [0.0, -1000.0]
    """
    along = _class_axis("tf.nn.log_softmax", axis, dim)
    result: Tensor = apply("LogSoftmax", logits, axis=along, name=name)
    return result


def _class_axis(function: str, axis: Any, dim: Any) -> int:
    if axis is not None and dim is not None:
        raise ValueError(f"{function}: axis and dim are the same; give one")
    given = dim if axis is None else axis
    return -1 if given is None else int(given)


# -- losses ------------------------------------------------------------------------


def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """Return the cross entropy of labels and the softmax of logits.

    Parameters
    ----------
    labels
        For each class its probability, of the shape of `logits` and cast to its dtype.
    logits
        A floating-point tensor of rank 1 or more.
    axis
        The axis of the classes, by default the last.
    name
        The name of the operation.
    dim
        The old name of `axis`.

    Returns
    -------
    Tensor
        A tensor without that axis, of the same dtype.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> import tpuref as tf
    >>> loss = tf.nn.softmax_cross_entropy_with_logits_v2([0.0, 1.0], [1000.0, 0.0])
    >>> float(tf.Session().run(loss))
    1000.0
    """
    function = "tf.nn.softmax_cross_entropy_with_logits_v2"
    along = _class_axis(function, axis, dim)
    scores, targets = convert_operands(function, [logits, labels])
    if targets.dtype != scores.dtype:
        targets = apply("Cast", targets, dtype=scores.dtype.name)
    result: Tensor = apply(
        "SoftmaxCrossEntropyWithLogits", scores, targets, axis=along, name=name
    )
    return result


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: Any = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """Return the cross entropy of labels, taken for constants, and softmax of logits.

    Parameters
    ----------
    _sentinel
        Keeps the other arguments from being given by position; None.
    labels
        For each class its probability, of the shape of `logits` and cast to its dtype.
    logits
        A floating-point tensor of rank 1 or more.
    dim
        The axis of the classes, by default the last.
    name
        The name of the operation.
    axis
        The new name of `dim`.

    Returns
    -------
    Tensor
        A tensor without that axis, of the same dtype.

    Raises
    ------
    ValueError
        If labels or logits are missing or given by position, or shapes differ.

    Examples
    --------
    >>> import tpuref as tf
    >>> loss = tf.nn.softmax_cross_entropy_with_logits(
    ...     labels=[0.0, 1.0], logits=[1000.0, 0.0]
    ... )
    >>> float(tf.Session().run(loss))
    1000.0
    """
    function = "tf.nn.softmax_cross_entropy_with_logits"
    _check_named(function, _sentinel, labels, logits)
    scores, targets = convert_operands(function, [logits, labels])
    along = dim if axis is None else axis
    return softmax_cross_entropy_with_logits_v2(
        stop_gradient(targets), scores, along, name
    )


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross entropy of one true class per row and the softmax of logits.

    Parameters
    ----------
    _sentinel
        Keeps the other arguments from being given by position; None.
    labels
        int32 or int64 of shape ``logits.shape[:-1]``: the class, ``0 <= label < n``.
    logits
        A floating-point tensor of shape ``[..., n]``.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the shape of `labels` and the dtype of `logits`.

    Raises
    ------
    ValueError
        If labels or logits are missing or given by position, or shapes do not fit.
    tf.errors.InvalidArgumentError
        When it runs, if a label is no class.

    Examples
    --------
    >>> import tpuref as tf
    >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
    ...     labels=[1, 0], logits=[[1000.0, 0.0], [1000.0, 0.0]]
    ... )
    >>> tf.Session().run(loss).tolist()
    [1000.0, 0.0]
    """
    function = "tf.nn.sparse_softmax_cross_entropy_with_logits"
    _check_named(function, _sentinel, labels, logits)
    scores, classes = convert_to_tensor(logits), convert_to_tensor(labels)
    result: Tensor = apply(
        "SparseSoftmaxCrossEntropyWithLogits", scores, classes, name=name
    )
    return result


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return, for each element by itself, the cross entropy of label and sigmoid.

    Parameters
    ----------
    _sentinel
        Keeps the other arguments from being given by position; None.
    labels
        Probabilities, of the shape and dtype of `logits`.
    logits
        A floating-point tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Raises
    ------
    ValueError
        If labels or logits are missing or given by position, or shapes differ.

    Examples
    --------
    >>> import tpuref as tf
    >>> loss = tf.nn.sigmoid_cross_entropy_with_logits(
    ...     labels=[0.0, 1.0], logits=[1000.0, 1000.0]
    ... )
    >>> tf.Session().run(loss).tolist()
    [1000.0, 0.0]
    """
    function = "tf.nn.sigmoid_cross_entropy_with_logits"
    _check_named(function, _sentinel, labels, logits)
    result: Tensor = apply("SigmoidCrossEntropyWithLogits", logits, labels, name=name)
    return result


def _check_named(function: str, sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None:
        raise ValueError(
            f"{function}: give the arguments by name, as labels=..., logits=..."
        )
    if labels is None or logits is None:
        raise ValueError(f"{function}: both labels and logits must be given")


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Return half the sum of the squares of all elements.

    Parameters
    ----------
    t
        A floating-point tensor.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A scalar of the same dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.nn.l2_loss([1.0, 3.0])))
    5.0
    """
    result: Tensor = apply("L2Loss", t, name=name)
    return result


# -- normalization, bias and dropout -----------------------------------------------


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """Return a tensor divided by its Euclidean length along some axes.

    Parameters
    ----------
    x
        A floating-point tensor.
    axis
        One or several axes; by default all.
    epsilon
        The least square of the length.
    name
        The name of the operation.
    dim
        The old name of `axis`.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.l2_normalize([0.0, 4.0], 0)).tolist()
    [0.0, 1.0]
    """
    if axis is not None and dim is not None:
        raise ValueError("tf.nn.l2_normalize: axis and dim are the same; give one")
    given = dim if axis is None else axis
    axes = None if given is None else static_integers(given, "tf.nn.l2_normalize: axis")
    result: Tensor = apply(
        "L2Normalize",
        x,
        axes=axes,
        epsilon=float(epsilon),
        name=name or "l2_normalize",
    )
    return result


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor with a number added to each channel.

    Parameters
    ----------
    value
        A tensor of numbers of rank 2 or more.
    bias
        A vector with one number for each channel.
    data_format
        ``"NHWC"``, the default: channels are the last axis; ``"NCHW"``: axis 1.
        Forms of other ranks begin with ``"NC"`` or end with ``"C"`` likewise.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Raises
    ------
    ValueError
        If the number of channels differs.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.bias_add([[1, 2], [3, 4]], [10, 20])).tolist()
    [[11, 22], [13, 24]]
    """
    layout = "NHWC"
    if data_format is not None:
        if not data_format.startswith("NC") and not data_format.endswith("C"):
            raise ValueError(
                "tf.nn.bias_add: data_format: expected 'N...C' or 'NC...', got "
                f"{data_format!r}"
            )
        layout = "NCHW" if data_format.startswith("NC") else "NHWC"
    result: Tensor = apply("BiasAdd", value, bias, data_format=layout, name=name)
    return result


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return mean and variance along some axes.

    Parameters
    ----------
    x
        A floating-point tensor; float16 and bfloat16 are computed in float32.
    axes
        One or several axes.
    shift
        Accepted for compatibility; it changes nothing.
    name
        Accepted for compatibility.
    keep_dims
        The old name of `keepdims`.
    keepdims
        Whether to keep the axes, with size 1.

    Returns
    -------
    mean, variance : Tensor
        Two tensors of the same dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> mean, variance = tf.nn.moments([1.0, 3.0], [0])
    >>> [float(x) for x in tf.Session().run([mean, variance])]
    [2.0, 1.0]
    """
    along = static_integers(axes, "tf.nn.moments: axes")
    value = convert_to_tensor(x)
    keep = bool(keepdims if keepdims is not None else keep_dims)
    mean: Tensor = apply("Mean", value, axis=along, keepdims=keep)
    variance: Tensor = apply("Variance", value, axis=along, keepdims=keep, ddof=0)
    return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """Return ``scale * (x - mean) / sqrt(variance + variance_epsilon) + offset``.

    Parameters
    ----------
    x
        A floating-point tensor.
    mean, variance
        Its moments, of shapes that broadcast with `x`.
    offset, scale
        What to add at the end and to multiply by before; None for neither.
    variance_epsilon
        A small number that keeps the division from being by 0.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A tensor of the shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> y = tf.nn.batch_normalization([1.0, 3.0], 2.0, 4.0, 10.0, 2.0, 0.0)
    >>> tf.Session().run(y).tolist()
    [9.0, 11.0]
    """
    value = convert_to_tensor(x)
    narrow = value.dtype in (float16, bfloat16)
    hint = float32 if narrow else value.dtype
    spread = convert_to_tensor(variance, dtype_hint=hint)
    factor = apply("Rsqrt", apply("AddV2", spread, variance_epsilon))
    if scale is not None:
        factor = apply("Mul", factor, scale)
    shift = apply("Neg", apply("Mul", factor, mean))
    if offset is not None:
        shift = apply("AddV2", shift, offset)
    dtype = value.dtype.name
    scaled = apply("Mul", value, apply("Cast", factor, dtype=dtype))
    result: Tensor = apply(
        "AddV2", scaled, apply("Cast", shift, dtype=dtype), name=name
    )
    return result


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Return a tensor with random elements set to 0, the others scaled up to match.

    Parameters
    ----------
    x
        A floating-point tensor.
    keep_prob
        The chance of an element to stay: ``1 - rate``.
    noise_shape
        A shape that broadcasts to that of `x`: along axes of size 1 the elements
        stay or fall together.
    seed
        The seed of this operation.
    name
        The name of the operation.
    rate
        The chance of an element to fall, ``0 <= rate < 1``.

    Returns
    -------
    Tensor
        A tensor of the same shape and dtype.

    Raises
    ------
    ValueError
        If both or neither of `rate` and `keep_prob` are given, one is out of range, or
        `x` is not floating point.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.nn.dropout([1.0, 2.0], rate=0.0)).tolist()
    [1.0, 2.0]
    """
    value = convert_to_tensor(x)
    if not value.dtype.is_floating:
        raise ValueError(
            "tf.nn.dropout: x: expected a floating-point tensor, got "
            f"{value.describe()}"
        )
    chance = _drop_rate(keep_prob, rate)
    if isinstance(chance, float) and chance == 0.0:
        result: Tensor = apply("Identity", value, name=name)
        return result
    fraction = convert_to_tensor(chance, value.dtype)
    sizes = shape(value) if noise_shape is None else shape_tensor(noise_shape)
    drawn = random_uniform(sizes, dtype=value.dtype, seed=seed)
    kept = apply("Cast", apply("GreaterEqual", drawn, fraction), dtype=value.dtype.name)
    scaled = apply("RealDiv", value, apply("Sub", 1.0, fraction))
    result = apply("Mul", scaled, kept, name=name)
    return result


def _drop_rate(keep_prob: Any, rate: Any) -> Any:
    """Return the rate, as a float where it is a plain number."""
    if (rate is None) == (keep_prob is None):
        raise ValueError(
            "tf.nn.dropout: expected either rate or keep_prob, got "
            + ("neither" if rate is None else "both")
        )
    given = rate if keep_prob is None else keep_prob
    if isinstance(given, Tensor) or hasattr(given, "_as_tensor"):
        return given if keep_prob is None else apply("Sub", 1.0, given)
    chance = float(given) if keep_prob is None else 1.0 - float(given)
    if not 0.0 <= chance < 1.0:
        raise ValueError(
            f"tf.nn.dropout: rate: expected 0 <= rate < 1, got {chance} (rate is "
            "1 - keep_prob)"
        )
    return chance


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Return the rows of a table that the ids name.

    Parameters
    ----------
    params
        The table, or a list with one table.
    ids
        int32 or int64 of any shape.
    partition_strategy
        ``"mod"`` or ``"div"``; it makes no difference for one table.
    name
        The name of the operation.
    validate_indices
        Accepted for compatibility; ids are always checked.
    max_norm
        The greatest Euclidean length of a row; longer ones are scaled down.

    Returns
    -------
    Tensor
        A tensor of shape ``ids.shape + params.shape[1:]``.

    Raises
    ------
    ValueError
        If there are several tables.
    tf.errors.InvalidArgumentError
        When it runs, if an id is out of range.

    Examples
    --------
    >>> import tpuref as tf
    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.Session().run(tf.nn.embedding_lookup(table, [1, 0, 1])).tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    if isinstance(params, (list, tuple)):
        if len(params) != 1:
            raise ValueError(
                "tf.nn.embedding_lookup: params: expected one table, got "
                f"{len(params)}; join them with tf.concat"
            )
        params = params[0]
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            "tf.nn.embedding_lookup: partition_strategy: expected 'mod' or 'div', got "
            f"{partition_strategy!r}"
        )
    places = convert_to_tensor(ids)
    if max_norm is None:
        return gather(params, places, name=name)
    return _within_norm(gather(params, places), places, max_norm, name)


def _within_norm(
    rows: Tensor, ids: Tensor, max_norm: float, name: str | None
) -> Tensor:
    if ids.shape.rank is None or rows.shape.rank is None:
        raise ValueError(
            "tf.nn.embedding_lookup: max_norm needs ids and table of known rank, got "
            f"{ids.describe()} and {rows.describe()}"
        )
    own = tuple(range(ids.shape.rank, rows.shape.rank))
    length = apply("EuclideanNorm", rows, axis=own, keepdims=True)
    limit = convert_to_tensor(max_norm, rows.dtype)
    factor = apply("RealDiv", limit, apply("Maximum", length, limit))
    result: Tensor = apply("Mul", rows, factor, name=name)
    return result


# -- windows over images -----------------------------------------------------------


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Return the cross-correlation of images and filters.

    Parameters
    ----------
    input
        Floating-point images of shape ``[batch, rows, columns, channels]``, or
        ``[batch, channels, rows, columns]`` for ``"NCHW"``.
    filter
        A tensor of shape ``[rows, columns, channels, outputs]``.
    strides
        One, two or four numbers: the distance of the windows along rows and columns.
    padding
        ``"SAME"``, ``"VALID"``, or a pair (before, after) for each of the four axes.
    use_cudnn_on_gpu
        Accepted for compatibility.
    data_format
        ``"NHWC"`` or ``"NCHW"``.
    dilations
        One, two or four numbers: the distance of the elements within a window.
    name
        The name of the operation.
    filters
        The new name of `filter`.

    Returns
    -------
    Tensor
        Images of the same dtype, with one channel for each output of the filter.

    Raises
    ------
    ValueError
        If the arguments do not fit together.

    Examples
    --------
    >>> import tpuref as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> sums = tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID")
    >>> tf.Session().run(tf.squeeze(sums)).tolist()
    [[8.0, 12.0], [20.0, 24.0]]
    """
    function = "tf.nn.conv2d"
    if (filter is None) == (filters is None):
        raise ValueError(f"{function}: expected filter, also called filters")
    _check_format(function, data_format)
    result: Tensor = apply(
        "Conv2D",
        input,
        filters if filter is None else filter,
        strides=_pair(function, "strides", strides, data_format),
        padding=_padding(function, padding, data_format),
        data_format=data_format,
        dilations=_pair(function, "dilations", dilations, data_format),
        name=name,
    )
    return result


def _check_format(function: str, data_format: str) -> None:
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(
            f"{function}: data_format: expected 'NHWC' or 'NCHW', got {data_format!r}"
        )


def _image_axes(data_format: str) -> tuple[int, int]:
    return (2, 3) if data_format == "NCHW" else (1, 2)


def _pair(
    function: str, argument: str, value: Any, data_format: str
) -> tuple[int, int]:
    """Return the numbers for rows and columns; those for other axes have to be 1."""
    if value is None:
        raise ValueError(f"{function}: {argument} is missing")
    numbers = static_integers(value, f"{function}: {argument}")
    if len(numbers) == 4:
        rows, columns = _image_axes(data_format)
        if sum(numbers) != numbers[rows] + numbers[columns] + 2:
            raise ValueError(
                f"{function}: {argument} {list(numbers)}: expected 1 for the axes of "
                "batch and channels"
            )
        numbers = (numbers[rows], numbers[columns])
    if len(numbers) == 1:
        numbers *= 2
    if len(numbers) != 2 or min(numbers) < 1:
        raise ValueError(
            f"{function}: {argument}: expected 1, 2 or 4 numbers above 0, got {value!r}"
        )
    return numbers[0], numbers[1]


def _padding(function: str, padding: Any, data_format: str) -> Any:
    if isinstance(padding, str) and padding.upper() in ("SAME", "VALID"):
        return padding.upper()
    if isinstance(padding, (list, tuple)) and len(padding) == 4:
        what = f"{function}: padding"
        return tuple(
            static_integers(padding[axis], what) for axis in _image_axes(data_format)
        )
    raise ValueError(
        f"{function}: padding: expected 'SAME', 'VALID' or four pairs, got {padding!r}"
    )


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the greatest element of each window of images.

    Parameters
    ----------
    value
        Real images of shape ``[batch, rows, columns, channels]``, or
        ``[batch, channels, rows, columns]`` for ``"NCHW"``.
    ksize
        One, two or four numbers: the size of the window.
    strides
        One, two or four numbers: the distance of the windows.
    padding
        ``"SAME"`` or ``"VALID"``.
    data_format
        ``"NHWC"`` or ``"NCHW"``.
    name
        The name of the operation.
    input
        The new name of `value`.

    Returns
    -------
    Tensor
        Images of the same dtype and number of channels.

    Raises
    ------
    ValueError
        If the arguments do not fit together.

    Examples
    --------
    >>> import tpuref as tf
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> pooled = tf.nn.max_pool(image, ksize=2, strides=2, padding="VALID")
    >>> tf.Session().run(tf.squeeze(pooled)).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    images = input if value is None else value
    return _pool(
        "MaxPool", "tf.nn.max_pool", images, ksize, strides, padding, data_format, name
    )


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the mean of each window of images; what is padded does not count.

    Parameters
    ----------
    value
        Floating-point images of shape ``[batch, rows, columns, channels]``, or
        ``[batch, channels, rows, columns]`` for ``"NCHW"``.
    ksize
        One, two or four numbers: the size of the window.
    strides
        One, two or four numbers: the distance of the windows.
    padding
        ``"SAME"`` or ``"VALID"``.
    data_format
        ``"NHWC"`` or ``"NCHW"``.
    name
        The name of the operation.
    input
        The new name of `value`.

    Returns
    -------
    Tensor
        Images of the same dtype and number of channels.

    Raises
    ------
    ValueError
        If the arguments do not fit together.

    Examples
    --------
    >>> import tpuref as tf
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> pooled = tf.nn.avg_pool(image, ksize=2, strides=2, padding="VALID")
    >>> tf.Session().run(tf.squeeze(pooled)).tolist()
    [[2.5, 4.5], [10.5, 12.5]]
    """
    images = input if value is None else value
    return _pool(
        "AvgPool", "tf.nn.avg_pool", images, ksize, strides, padding, data_format, name
    )


def _pool(
    op: str,
    function: str,
    images: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    name: str | None,
) -> Tensor:
    _check_format(function, data_format)
    if not isinstance(padding, str):
        raise ValueError(f"{function}: padding: expected 'SAME' or 'VALID'")
    result: Tensor = apply(
        op,
        images,
        ksize=_pair(function, "ksize", ksize, data_format),
        strides=_pair(function, "strides", strides, data_format),
        padding=_padding(function, padding, data_format),
        data_format=data_format,
        name=name,
    )
    return result
