"""The predicate of a branch or loop, as a truth value."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr


def truth(instr: Instr, array: Array) -> bool:
    """Return the predicate of a branch or loop as a truth value.

    It raises InvalidArgumentError if it is not a scalar.
    """
    require_scalar(instr, array.shape, array.dtype)
    return bool(array)


def require_scalar(instr: Instr, shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    """Raise InvalidArgumentError unless a predicate of this shape is a scalar."""
    if len(shape):
        raise InvalidArgumentError(
            f"the predicate of {instr.op} must be a scalar, got {dtype}"
            f"{list(shape)}; use tf.reduce_all or tf.reduce_any",
            code=codes.WRONG_SHAPE,
        )
