"""The signature that a program is compiled for: inputs, variables and placement."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import UnimplementedError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.lockstep import Values
from tpuref.engine.runtime.xla.errors import refusal
from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.value import Value

LARGEST_KNOWN = 64
"""The largest number of elements of an input that is compiled as a constant."""


class Held(NamedTuple):
    """A variable that has a value."""

    handle: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Input(NamedTuple):
    """An input: its shape and dtype on each replica.

    `stacked` inputs differ by replica; `known` holds the bytes of a static value.
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
    """The cache key of a compiled program: the digest instead of the program.

    With `checks_replicas`, replicas that leave different values in a variable are an
    error.  `shared` are the common handles of components that all hold one array, of
    which `variables` has the first alone.
    """

    program: Program
    digest: bytes
    placement: Placement
    inputs: tuple[Input, ...]
    variables: tuple[Held, ...]
    checks_replicas: bool
    shared: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """The signature without the program itself."""
        return self[1:]

    def traced_inputs(self) -> list[Any]:
        """Return the shapes of the compiled function's inputs."""
        return [
            jax.ShapeDtypeStruct(
                (self.placement.replicas, *described.shape)
                if described.stacked
                else described.shape,
                described.dtype,
            )
            for described in self.inputs
            if described.known is None
        ]

    def values(self, arrays: Sequence[Any]) -> list[Value]:
        """Return the values of the parameters from the compiled function's inputs."""
        rest = iter(arrays)
        values = []
        for described in self.inputs:
            known = described.value
            array = next(rest) if known is None else known
            values.append(Value(array, described.stacked))
        return values


def describe_inputs(
    program: Program, inputs: Values, valued: bool, apart: bool
) -> tuple[Input, ...]:
    """Describe the inputs.

    Small integers are static if `valued`.  Other inputs are stacked if `apart`, even if
    all replicas have the same value in this process.
    """
    columns = zip(*inputs.values(), strict=True)
    return tuple(
        [
            _describe_input(program, number, column, valued, apart)
            for number, column in enumerate(columns)
        ]
    )


def _describe_input(
    program: Program, number: int, column: Sequence[Array], valued: bool, apart: bool
) -> Input:
    first = column[0]
    stacked = any(array is not first for array in column)
    if first.dtype == object:
        raise refusal(_reader(program, number), "it is given text", codes.XLA_OPERATION)
    shape = first.shape
    if stacked and any(array.shape != shape for array in column):
        shapes = [list(array.shape) for array in column]
        why = f"the replicas give it the different shapes {shapes}"
        raise refusal(_reader(program, number), why, codes.XLA_SHAPES_DIFFER)
    # A small integer may be a size. XLA needs static sizes, so `valued` compiles one
    # program for each of its values.
    fits = valued and not stacked and first.dtype.kind in "iub"
    known = first.tobytes() if fits and first.size <= LARGEST_KNOWN else None
    stacked = stacked or (apart and known is None)
    return Input(shape, first.dtype, stacked, known)


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
