"""What a program is compiled for: its inputs, its variables, and who runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import UnimplementedError
from tpuref.ops.meaning import Array
from tpuref.program import Instr, Program
from tpuref.runtime.lockstep import Values
from tpuref.runtime.xla.errors import refusal
from tpuref.runtime.xla.placement import Placement
from tpuref.runtime.xla.value import Value

LARGEST_KNOWN = 64
"""How many elements an input has at most for a program to be compiled for its value."""


class Held(NamedTuple):
    """A variable that has a value."""

    handle: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Given(NamedTuple):
    """An input.

    Attributes
    ----------
    shape, dtype
        What it is on each replica.
    stacked
        Whether each replica has its own.
    known
        Its bytes, if the program is compiled for its value.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    stacked: bool
    known: bytes | None

    @property
    def value(self) -> Array | None:
        """The value that the program is compiled for."""
        if self.known is None:
            return None
        array: Array = np.frombuffer(self.known, self.dtype).reshape(self.shape)
        return array


class Signature(NamedTuple):
    """What a program is compiled for.

    Attributes
    ----------
    program
        The program.
    digest
        What tells it from others.
    placement
        Where the replicas are.
    inputs
        What each parameter is given.
    variables
        The variables that have a value.
    checks_replicas
        Whether replicas that leave different values in a variable are an error.
    """

    program: Program
    digest: bytes
    placement: Placement
    inputs: tuple[Given, ...]
    variables: tuple[Held, ...]
    checks_replicas: bool

    @property
    def key(self) -> tuple[Any, ...]:
        """The signature without the program itself."""
        return self[1:]

    def traced_inputs(self) -> list[Any]:
        """Return what the compiled function is given."""
        return [
            jax.ShapeDtypeStruct(
                (self.placement.replicas, *given.shape)
                if given.stacked
                else given.shape,
                given.dtype,
            )
            for given in self.inputs
            if given.known is None
        ]

    def values(self, arrays: Sequence[Any]) -> list[Value]:
        """Return what the parameters hold, from what the compiled function is given."""
        rest = iter(arrays)
        found = []
        for given in self.inputs:
            known = given.value
            array = next(rest) if known is None else known
            found.append(Value(array, given.stacked))
        return found


def given_to(
    program: Program, inputs: Values, valued: bool, apart: bool
) -> tuple[Given, ...]:
    """Describe the inputs.

    Small integers are known by their value if `valued`.  Otherwise each replica has its
    own if `apart`, even if all are the same here.
    """
    columns = zip(*inputs.values(), strict=True)
    return tuple(
        [
            _given(program, number, column, valued, apart)
            for number, column in enumerate(columns)
        ]
    )


def _given(
    program: Program, number: int, column: Sequence[Array], valued: bool, apart: bool
) -> Given:
    first = column[0]
    stacked = any(array is not first for array in column)
    if first.dtype == object:
        raise refusal(_reader(program, number), "it is given text", codes.XLA_OPERATION)
    shape = first.shape
    if stacked and any(array.shape != shape for array in column):
        shapes = [list(array.shape) for array in column]
        why = f"the replicas give it the different shapes {shapes}"
        raise refusal(_reader(program, number), why, codes.XLA_SHAPES_DIFFER)
    fits = valued and not stacked and first.dtype.kind in "iub"
    known = first.tobytes() if fits and first.size <= LARGEST_KNOWN else None
    stacked = stacked or (apart and known is None)
    return Given(shape, first.dtype, stacked, known)


def _reader(program: Program, number: int) -> Instr:
    """Return an instruction that reads a parameter."""
    slot = program.parameters[number]
    readers = [instr for instr in program.instrs if slot in instr.inputs]
    if readers:
        return readers[0]
    raise UnimplementedError(
        f"input {number} of the computation cannot be compiled: it is text, or has "
        "another shape on each replica; use tf.config.executor = 'pool'",
        code=codes.XLA_SHAPES_DIFFER,
    )
