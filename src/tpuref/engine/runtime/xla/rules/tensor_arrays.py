"""The elements of a ``tf.TensorArray``."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.ops.tensor_arrays import BLANK, check_row
from tpuref.engine.runtime.xla.rules import Check, Rule


def _write(xp: Any, elements: Any, indices: Any, rows: Any, *, grows: bool) -> Any:
    row = rows.shape[len(indices.shape) :]
    size = elements.shape[0]
    if grows and indices.size:  # its size has to be known
        size = max(size, int(np.max(np.asarray(indices))) + 1)
    check_row(elements, row)
    result = jnp.zeros((size, *row), elements.dtype)
    if elements.shape[1:] == row:
        result = result.at[: elements.shape[0]].set(elements)
    return result.at[indices].set(rows, mode="drop")


def _read(xp: Any, elements: Any, indices: Any) -> Any:
    if elements.shape[1:] == BLANK and indices.size:
        raise InvalidArgumentError(
            "an element of a tf.TensorArray is read, but nothing was written to the "
            "array; write to it first (in a graph, go on with what write returns), or "
            "give element_shape= to read zeros",
            code=codes.UNINITIALIZED,
        )
    if not elements.shape[0]:
        return jnp.zeros((*indices.shape, *elements.shape[1:]), elements.dtype)
    return jnp.take(jnp.asarray(elements), indices, 0, mode="clip")


def _check_write(elements: Any, indices: Any, rows: Any, *, grows: bool) -> Any:
    if grows:
        return [_outside(indices, 2**31)]
    return [_outside(indices, elements.shape[0])]


def _check_read(elements: Any, indices: Any) -> Any:
    return [_outside(indices, elements.shape[0])]


def _outside(indices: Any, size: int) -> tuple[Any, str, str]:
    wrong = jnp.any((indices < 0) | (indices >= size))
    message = (
        f"an index is out of range for a tf.TensorArray of size {size}; give it a "
        "larger size, or dynamic_size=True to let it grow"
    )
    return wrong, codes.INDEX_OUT_OF_RANGE, message


RULES: dict[str, Rule] = {"TensorArrayWrite": _write, "TensorArrayRead": _read}

CHECKS: dict[str, Check] = {
    "TensorArrayWrite": _check_write,
    "TensorArrayRead": _check_read,
}
