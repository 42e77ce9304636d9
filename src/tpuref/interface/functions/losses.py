"""Losses."""

from typing import Any

from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.activations import class_axis
from tpuref.interface.functions.identity import stop_gradient


def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """Return the cross entropy of labels and the softmax of logits.

    The result is a tensor of the same dtype without that axis.  `labels` is the
    probability of each class, with the shape of `logits`; cast to its dtype.  `logits`
    is a floating-point tensor of rank 1 or more.  `axis` is the axis of the classes, by
    default the last.  `dim` is the former name of `axis`.  It raises ValueError if the
    shapes differ.

    Examples
    --------
    >>> loss = tf.nn.softmax_cross_entropy_with_logits_v2([0.0, 1.0], [1000.0, 0.0])
    >>> float(tf.Session().run(loss))
    1000.0
    """
    function = "tf.nn.softmax_cross_entropy_with_logits_v2"
    along = class_axis(function, axis, dim)
    scores, targets = convert_operands(function, [logits, labels])
    if targets.dtype != scores.dtype:
        targets = apply("Cast", targets, dtype=scores.dtype.name)
    return apply_one(
        "SoftmaxCrossEntropyWithLogits", scores, targets, axis=along, name=name
    )


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: Any = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """Return the cross entropy of constant labels and the softmax of logits.

    Parameters, result and errors are those of `softmax_cross_entropy_with_logits_v2`.
    No gradient flows to the labels.  `_sentinel` must be None: it forces arguments to
    be passed by name.
    """
    function = "tf.nn.softmax_cross_entropy_with_logits"
    _check_named(function, _sentinel, labels, logits)
    scores, targets = convert_operands(function, [logits, labels])
    return softmax_cross_entropy_with_logits_v2(
        stop_gradient(targets), scores, dim if axis is None else axis, name
    )


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross entropy of one true class per row and the softmax of logits.

    The result is a tensor of the shape of `labels` and the dtype of `logits`.
    `_sentinel` forces the other arguments to be passed by name; must be None.  `labels`
    is int32 or int64 of shape ``logits.shape[:-1]``: the class, ``0 <= label < n``.
    `logits` is a floating-point tensor of shape ``[..., n]``.  It raises ValueError if
    labels or logits are missing or not passed by name, or shapes do not fit, and at run
    time `tf.errors.InvalidArgumentError` if a label is not a class.

    Examples
    --------
    >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
    ...     labels=[1, 0], logits=[[1000.0, 0.0], [1000.0, 0.0]]
    ... )
    >>> tf.Session().run(loss).tolist()
    [1000.0, 0.0]
    """
    function = "tf.nn.sparse_softmax_cross_entropy_with_logits"
    _check_named(function, _sentinel, labels, logits)
    scores, classes = convert_to_tensor(logits), convert_to_tensor(labels)
    return apply_one("SparseSoftmaxCrossEntropyWithLogits", scores, classes, name=name)


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross entropy of label and sigmoid, for each element separately.

    The result has the same shape and dtype.  `_sentinel` must be None: the other
    arguments are passed by name.  `labels` are probabilities, with the shape and dtype
    of `logits`, a floating-point tensor.  It raises ValueError if labels or logits are
    missing or not passed by name, or shapes differ.

    Examples
    --------
    >>> loss = tf.nn.sigmoid_cross_entropy_with_logits(
    ...     labels=[0.0, 1.0], logits=[1000.0, 1000.0]
    ... )
    >>> tf.Session().run(loss).tolist()
    [1000.0, 0.0]
    """
    _check_named("tf.nn.sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    return apply_one("SigmoidCrossEntropyWithLogits", logits, labels, name=name)


def _check_named(function: str, sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None:
        raise ValueError(
            f"{function}: pass the arguments by name: labels=..., logits=..."
        )
    if labels is None or logits is None:
        raise ValueError(f"{function}: both labels and logits must be given")


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Return half the sum of the squares of all elements.

    The result is a scalar of the same dtype.  The elements are floating-point.

    Examples
    --------
    >>> float(tf.Session().run(tf.nn.l2_loss([1.0, 3.0])))
    5.0
    """
    return apply_one("L2Loss", t, name=name)


def softmax_cross_entropy_v2(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """Return `softmax_cross_entropy_with_logits_v2`: TensorFlow 2's function."""
    return softmax_cross_entropy_with_logits_v2(labels, logits, axis, name)


def sparse_softmax_cross_entropy_v2(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """Return `sparse_softmax_cross_entropy_with_logits`, as TensorFlow 2 calls it."""
    return sparse_softmax_cross_entropy_with_logits(None, labels, logits, name)


def sigmoid_cross_entropy_v2(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """Return `sigmoid_cross_entropy_with_logits`, as TensorFlow 2 calls it."""
    return sigmoid_cross_entropy_with_logits(None, labels, logits, name)
