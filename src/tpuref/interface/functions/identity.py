"""Functions that return their input."""

from __future__ import annotations

from typing import Any

from tpuref.engine.graph.build import apply
from tpuref.engine.graph.tensor import Tensor

__all__ = [
    "identity",
    "stop_gradient",
]


def identity(input: Any, name: str | None = None) -> Tensor:
    """Return a tensor with the same value as `input`.

    Parameters
    ----------
    input
        A tensor of any shape and dtype.

    Returns
    -------
    Tensor
        The output of a new operation.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.identity([1, 2])).tolist()
    [1, 2]
    """
    result: Tensor = apply("Identity", input, name=name)
    return result


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """Return the value of `input`, which gradients treat as a constant.

    Parameters
    ----------
    input
        A tensor of any shape and dtype.

    Returns
    -------
    Tensor
        The same value.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.stop_gradient([1, 2])).tolist()
    [1, 2]
    """
    result: Tensor = apply("StopGradient", input, name=name)
    return result
