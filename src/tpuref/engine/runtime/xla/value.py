"""The value of a slot during lowering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np


class Value(NamedTuple):
    """An array of each replica, stacked along the first axis, or one that all share.

    The array is NumPy's if it is static, else traced by JAX.  `total` computes the sum
    over all replicas if there is a cheaper way than adding the rows.
    """

    array: Any
    stacked: bool
    total: Callable[[], Any] | None = None

    @property
    def is_known(self) -> bool:
        """Whether the array is static."""
        return isinstance(self.array, np.ndarray)

    @property
    def is_shared_and_known(self) -> bool:
        """Whether all replicas share the array, and it is static."""
        return self.is_known and not self.stacked

    @property
    def is_on_host(self) -> bool:
        """Whether the array exists only on the host."""
        return not hasattr(self.array, "aval")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of one replica."""
        return tuple(self.array.shape[1:] if self.stacked else self.array.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        dtype: np.dtype[Any] = np.dtype(self.array.dtype)
        return dtype

    def of(self, replica: int) -> Value:
        """Return one replica's value as a shared one."""
        return Value(self.array[replica], False) if self.stacked else self

    def rows(self, replicas: int) -> Any:
        """Return the arrays of all replicas, stacked."""
        if self.stacked:
            return self.array
        return jnp.broadcast_to(self.array, (replicas, *self.array.shape))

    def as_stacked(self, stacked: bool, replicas: int) -> Any:
        """Return a traced array, stacked if requested."""
        return self.rows(replicas) if stacked else jnp.asarray(self.array)


def choose(condition: Value, first: Value, second: Value, replicas: int) -> Value:
    """Select, for each replica, the first value where its condition is true."""
    stacked = condition.stacked or first.stacked or second.stacked
    picked = condition.array
    if condition.stacked:
        picked = jnp.reshape(picked, (-1, *[1] * len(first.shape)))
    a, b = (value.as_stacked(stacked, replicas) for value in (first, second))
    return Value(jnp.where(picked, a, b), stacked)
