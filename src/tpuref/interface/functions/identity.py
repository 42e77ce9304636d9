"""Functions that return their input."""

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.tensor import Tensor


def identity(input: Any, name: str | None = None) -> Tensor:
    """Return a tensor with the same value as `input`.

    Examples
    --------
    >>> tf.Session().run(tf.identity([1, 2])).tolist()
    [1, 2]
    """
    return apply_one("Identity", input, name=name)


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """Return `input`, which gradients treat as a constant; see `identity`."""
    return apply_one("StopGradient", input, name=name)
