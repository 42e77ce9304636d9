"""Sharing tensors with other libraries without a copy: tf.experimental.dlpack."""

from __future__ import annotations

from typing import Any

import numpy as np

from tpuref.base import dlpack
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.eager_tensor import EagerTensor


def to_dlpack(tf_tensor: Any) -> Any:
    """Return a capsule with the memory of a tensor, for one consumer.

    The consumer must not write to the memory: tensors do not change, and others may
    share it.  The capsule is for ``from_dlpack`` of another library; bfloat16 works
    too.  The tensor is eager, or an array returned by ``Session.run``.  It raises
    `tf.errors.InvalidArgumentError` for symbolic tensors, strings and dates.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
    array([1., 2.], dtype=float32)
    """
    array = tf_tensor.array if isinstance(tf_tensor, EagerTensor) else tf_tensor
    if not isinstance(array, np.ndarray):
        raise InvalidArgumentError(
            "tf.experimental.dlpack.to_dlpack: tf_tensor must be an eager tensor or an "
            f"array, got {tf_tensor!r} of type {type(tf_tensor).__name__}"
        )
    if array.dtype.hasobject or array.dtype.kind in "SUMm":
        raise InvalidArgumentError(
            "tf.experimental.dlpack.to_dlpack: strings and dates cannot be shared, got "
            f"{tf_tensor!r}; DLPack supports only numbers"
        )
    return dlpack.exported(array)


def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """Return a tensor that shares the memory of another library's.

    If the other library writes to it later, the tensor changes.  The result is an eager
    tensor; in a graph it becomes a constant.  A capsule that was used before raises
    `tf.errors.InvalidArgumentError`, an array that NumPy cannot read TypeError.
    `dlcapsule` is a capsule from ``to_dlpack`` of another library, or an array of
    another library with the method ``__dlpack__``.

    Examples
    --------
    >>> import numpy as np
    >>> array = np.zeros(2)
    >>> tensor = tf.experimental.dlpack.from_dlpack(array)
    >>> array[0] = 5.0
    >>> tensor.numpy()
    array([5., 0.])
    """
    if dlpack.is_fresh(dlcapsule):
        return EagerTensor.of(dlpack.taken(dlcapsule), "FromDLPack")
    if type(dlcapsule).__name__ == "PyCapsule":
        raise InvalidArgumentError(
            f"tf.experimental.dlpack.from_dlpack: {dlcapsule!r} no longer holds a "
            "tensor; a capsule can be used only once"
        )
    if isinstance(dlcapsule, type) or not hasattr(dlcapsule, "__dlpack__"):
        raise TypeError(
            "tf.experimental.dlpack.from_dlpack: dlcapsule must be a capsule, or an "
            f"array with __dlpack__, got {dlcapsule!r} of type "
            f"{type(dlcapsule).__name__}"
        )
    try:
        return EagerTensor.of(dlpack.shared_array(dlcapsule), "FromDLPack")
    except TypeError as error:
        raise TypeError(f"tf.experimental.dlpack.from_dlpack: {error}") from None
