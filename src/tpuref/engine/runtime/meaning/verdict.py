"""The predicate of a branch or loop, as a truth value."""

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr


def truth(instr: Instr, array: Array) -> bool:
    """Return the predicate of a branch or loop as a truth value.

    It raises InvalidArgumentError if it is not a scalar.
    """
    if array.shape != ():
        raise InvalidArgumentError(
            f"the predicate of {instr.op} must be a scalar, got {array.dtype}"
            f"{list(array.shape)}; use tf.reduce_all or tf.reduce_any",
            code=codes.WRONG_SHAPE,
        )
    return bool(array)
