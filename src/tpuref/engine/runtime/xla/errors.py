"""Errors of compilation: unsupported programs, and the executor to use instead."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.engine.program import Instr
from tpuref.engine.runtime.meaning.lockstep import locate
from tpuref.engine.runtime.meaning.operation_failure import (
    FAULTS,
    described,
    operation_failure,
)


def refusal(instr: Instr, why: str, code: str) -> errors.UnimplementedError:
    """Return the error for an instruction that XLA cannot run."""
    error = errors.UnimplementedError(
        f"{instr.op}: {why}. The executor 'xla' cannot run it; the executors 'pool' "
        "and 'lockstep' can, for example with tf.config.executor = 'pool'",
        code=code,
    )
    locate(error, instr)
    return error


def data_dependent(instr: Instr, what: str) -> errors.UnimplementedError:
    """Return the error for a shape that depends on values."""
    why = f"{what}, but a compiled program has fixed shapes"
    return refusal(instr, why, codes.XLA_DATA_DEPENDENT)


@contextlib.contextmanager
def out_of_memory(name: str) -> Iterator[None]:
    """Return the error for exhausted memory, and for variables lost with it."""
    try:
        yield
    except RuntimeError as error:
        message = str(error).rstrip(".")
        if "has been deleted" in message:
            raise errors.FailedPreconditionError(
                f"{name!r}: the value of a variable is lost, as its memory was given "
                "to a run that ran out of memory; restore a checkpoint, or run its "
                "initializer",
                code=codes.UNINITIALIZED,
            ) from error
        # JAX 0.6 reports it as INTERNAL.
        if not re.match("RESOURCE_EXHAUSTED|INTERNAL.*Out of memory", message):
            raise
        asked = re.search(r"allocat\D*(\d+) bytes", message)
        size = f"{asked[1]} bytes of memory" if asked else "memory"
        raise errors.ResourceExhaustedError(
            f"{name!r} asked for {size}, which XLA did not get: {message}. Use "
            "smaller tensors, or give the container more memory",
            code=codes.OUT_OF_MEMORY,
        ) from error


@contextlib.contextmanager
def explained(instr: Instr, operands: Sequence[Any]) -> Iterator[None]:
    """Convert an error in a rule to the user's error, as lockstep does."""
    try:
        yield
    except (jax.errors.JAXTypeError, jax.errors.JAXIndexError) as error:
        what = "an input that decides a shape is computed from data"
        raise data_dependent(instr, what) from error
    except AttributeError as error:
        why = f"it has no counterpart in XLA ({error})"
        raise refusal(instr, why, codes.XLA_OPERATION) from error
    except errors.OpError as error:
        message = codes.with_code(error.message, codes.INVALID_OPERANDS)
        raised = type(error)(f"on replica {instr.replica or 0}: {message}")
        locate(raised, instr)
        raise raised from error
    except FAULTS as error:
        said = codes.with_code(str(error), codes.INVALID_OPERANDS)
        raised = operation_failure(instr, described(operands), instr.replica or 0, said)
        locate(raised, instr)
        raise raised from error
