"""Whether a value is a tensor, and the value of a tensor where it is static."""

from numbers import Number
from typing import Any, TypeAlias

import numpy as np

from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.trackable import TensorProtocol
from tpuref.engine.ops.meaning import Array

_Python: TypeAlias = Number | str | bytes | tuple | list  # type: ignore[type-arg]
TensorLike: TypeAlias = Tensor | TensorProtocol | np.ndarray | np.generic | _Python
"""What functions of tensors take as a tensor."""


def is_tensor(x: Any) -> bool:
    """Return whether a value is a tensor, a variable or made of tensors.

    Examples
    --------
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor([1])
    (True, False)
    """
    kinds = ("_as_tensor", "_traced_parts", "_as_fetches")
    return isinstance(x, Tensor) or any(hasattr(type(x), kind) for kind in kinds)


def has_values(x: Any) -> bool:
    """Return whether a value stores its elements in a tensor `values`."""
    return hasattr(type(x), "with_values")


def get_static_value(tensor: Any, partial: bool = False) -> Array | None:
    """Return the value of a tensor that is known before it runs, or None.

    `tensor` is a tensor; an array is returned itself.  `partial` is accepted for
    compatibility.

    Examples
    --------
    >>> tf.get_static_value(tf.constant([1, 2])).tolist()
    [1, 2]
    """
    if not isinstance(tensor, Tensor):
        return tensor if hasattr(tensor, "__array__") else None
    return tensor.operand().value
