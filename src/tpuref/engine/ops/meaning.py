"""Meanings: the computation of an operation over an array namespace.

A meaning takes the namespace as its first argument and uses only names that NumPy
and similar namespaces share: ``def tanh(xp, x): return xp.tanh(x)``.  Lockstep and the
core processes run it with NumPy, the executor on XLA with JAX.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from tpuref.base.errors import InvalidArgumentError

Array = np.ndarray[Any, np.dtype[Any]]
Meaning = Callable[..., Any]
"""``meaning(xp, *arrays, **attrs)`` gives an array, or a sequence of arrays."""
Compute = Callable[..., Any]
"""``compute(*arrays, **attrs)``, the same for NumPy alone."""


class Ufunc:
    """The meaning of an operation that is one function of the namespace.

    >>> import numpy as np
    >>> Ufunc("negative")(np, np.array([1, -2]))
    array([-1,  2])
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, xp: Any, *arrays: Any) -> Any:
        """Apply the namespace's function."""
        return getattr(xp, self.name)(*arrays)


def with_numpy(meaning: Meaning) -> Compute:
    """Return a meaning as a function of NumPy arrays."""
    if isinstance(meaning, Ufunc):
        return ieee(getattr(np, meaning.name))
    return ieee(partial(meaning, np))


def ieee(function: Callable[..., Any]) -> Compute:
    """Return a function of NumPy arrays as a compute rule.

    Division by zero, overflow and the like give IEEE 754 results without a warning;
    scalars are returned as arrays; mismatched shapes, which inference cannot see while
    they are unknown, raise InvalidArgumentError.
    """

    @wraps(function)
    def compute(*arrays: Array, **attrs: Any) -> Any:
        try:
            with np.errstate(all="ignore"):
                result = function(*arrays, **attrs)
        except ValueError as error:
            inputs = ", ".join(describe(array) for array in arrays)
            raise InvalidArgumentError(f"{error} (inputs: {inputs})") from None
        if isinstance(result, tuple):
            return tuple(np.asarray(part) for part in result)
        return np.asarray(result)

    return compute


def describe(array: Array) -> str:
    """Return the short form of an array for a message, such as ``float32[2,3]``."""
    return f"{array.dtype.name}[{','.join(map(str, array.shape))}]"
