"""What decides which branch a replica takes, and whether it stays in a loop."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.ops.definition import Array
from tpuref.program import Instr


def truth(instr: Instr, array: Array) -> bool:
    """Return the verdict for a branch or loop.

    Raises
    ------
    InvalidArgumentError
        If it is no scalar.
    """
    if array.shape != ():
        raise InvalidArgumentError(
            f"what decides {instr.op} must be a scalar, got {array.dtype}"
            f"{list(array.shape)}; use tf.reduce_all or tf.reduce_any",
            code=codes.WRONG_RANK,
        )
    return bool(array)
