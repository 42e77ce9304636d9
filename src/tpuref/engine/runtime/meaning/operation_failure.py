"""The error of an operation that refused its operands."""

from collections.abc import Iterable
from typing import Any

from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.program import Instr

FAULTS = (ValueError, TypeError, IndexError, OverflowError)
"""What NumPy and JAX raise for operands that an operation cannot take."""


def described(arrays: Iterable[Any]) -> str:
    """Return types and shapes for a message; the arrays may be those of XLA."""
    return ", ".join(f"{array.dtype}{list(array.shape)}" for array in arrays)


def operation_failure(
    instr: Instr, operands: str, replica: int, message: str
) -> InvalidArgumentError:
    """Return the error of an operation; `given` describes its operands."""
    return InvalidArgumentError(
        f"{instr.op} of ({operands}) on replica {replica}: {message}"
    )
