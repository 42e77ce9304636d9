"""64-bit numbers as pairs of 32-bit words, to pass callbacks unchanged.

JAX calls the host in a thread of its own, where the user's settings may disable 64-bit
types.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.engine.ops.meaning import Array


def is_wide(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is passed as words."""
    return dtype.itemsize >= 8 and dtype != np.complex64


def word_shape(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """Return the shape of an array as words."""
    return (*shape, dtype.itemsize // 4)


def to_words(array: Any) -> Any:
    """Return a traced array as words."""
    if array.dtype == np.complex128:
        parts = jnp.stack([array.real, array.imag], -1)
        return jax.lax.bitcast_convert_type(parts, jnp.uint32).reshape(*array.shape, 4)
    return jax.lax.bitcast_convert_type(array, jnp.uint32)


def of_words(words: Any, dtype: np.dtype[Any]) -> Any:
    """Return the traced array of some words."""
    if dtype != np.complex128:
        return jax.lax.bitcast_convert_type(words, dtype)
    halves = words.reshape(*words.shape[:-1], 2, 2)
    parts = jax.lax.bitcast_convert_type(halves, jnp.float64)
    return jax.lax.complex(parts[..., 0], parts[..., 1])


def host_words(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return an array of the host as words."""
    words: Array = np.ascontiguousarray(array, dtype).reshape(-1).view(np.uint32)
    shaped: Array = words.reshape(word_shape(array.shape, dtype))
    return shaped


def of_host_words(words: Array, dtype: np.dtype[Any]) -> Array:
    """Return the array of the host of some words."""
    array: Array = np.ascontiguousarray(words).reshape(-1).view(dtype)
    shaped: Array = array.reshape(words.shape[:-1])
    return shaped
