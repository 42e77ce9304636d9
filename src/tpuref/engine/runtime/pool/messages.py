"""Messages between the host and a process: their content, arrays among it, and errors.

A message is a tuple that begins with its kind; the records here are the rest of the
larger ones.  Small arrays travel by value, others as offsets in the arena.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.base import errors
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import datatype_enum, numpy_dtype, string
from tpuref.base.errors import OpError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.columns import APART, SAME, STACKED, Column, Stacked

INLINE_BYTES = 512
"""Arrays up to this size travel in the message itself."""

Described = tuple[Any, ...]
"""Element type and shape, then either the bytes or texts of the array, or its offset in
the arena and, unless it is contiguous, its strides."""

DescribedColumn = tuple[int, list[Described]]
"""How the arrays of a column lie, then the description of the one array or the stack,
or of each array."""

_STRING = string.as_datatype_enum


def goes_inline(array: Array) -> bool:
    """Return whether an array travels in the message."""
    return array.dtype == object or array.nbytes <= INLINE_BYTES


def describe_inline(array: Array) -> Described:
    """Describe an array by value."""
    if array.dtype == object:
        return _STRING, array.shape, [bytes(item) for item in array.flat]
    return datatype_enum(array.dtype), array.shape, array.tobytes()


def describe_in_arena(array: Array, offset: int) -> Described:
    """Describe an array in the arena."""
    described = datatype_enum(array.dtype), array.shape, offset
    return described if array.flags.c_contiguous else (*described, array.strides)


def offset_of(described: Described) -> int | None:
    """Return the offset of an array in the arena, None if the message holds it."""
    return described[2] if isinstance(described[2], int) else None


def array_of(described: Described, arena: Arena) -> Array:
    """Return the array that is described, a view if it is in the arena."""
    number, shape, content, *strides = described
    if isinstance(content, int):
        return arena.view(content, shape, numpy_dtype(number), *strides)
    return inline_array(described)


def inline_array(described: Described) -> Array:
    """Return an array that is described by value."""
    number, shape, content = described
    if number == _STRING:
        strings = np.empty(shape, object)
        for index, item in zip(np.ndindex(*shape), content, strict=True):
            strings[index] = item
        return strings
    array: Array = np.frombuffer(content, numpy_dtype(number)).reshape(shape)
    return array


def describe_column(
    arrays: Sequence[Array], describe: Callable[[Array], Described]
) -> DescribedColumn:
    """Describe a column with what describes one array; small ones travel as a stack."""
    first = arrays[0]
    if all(array is first for array in arrays):
        return SAME, [describe(first)]
    dtype, shape = first.dtype, first.shape
    stackable = not dtype.hasobject and first.nbytes <= INLINE_BYTES
    if stackable and all(a.shape == shape and a.dtype == dtype for a in arrays):
        content = b"".join([array.tobytes() for array in arrays])
        return STACKED, [(datatype_enum(dtype), (len(arrays), *shape), content)]
    return APART, [describe(array) for array in arrays]


def column_of(
    described: DescribedColumn, length: int, received: Callable[[Described], Array]
) -> Column:
    """Return the column that is described, with what gives each of its arrays."""
    kind, parts = described
    if kind == SAME:
        return [received(parts[0])] * length
    if kind == STACKED:
        return Stacked(inline_array(parts[0]))
    return [received(part) for part in parts]


STACK_SIGNAL: int | None = getattr(signal, "SIGUSR1", None)
"""What the host sends to a process that is to write its stack to its log, if it can."""

Site = tuple[str, int, str, "str | None"]
"""A call site, as plain values."""


class RunRequest(NamedTuple):
    """``run``, from the host: what the cores of one process have to do.

    Attributes
    ----------
    run
        The number of the run.
    program, placement
        The number of the program, and of the cores that it runs on.
    inputs
        The inputs of the replicas of which the process carries a core.
    draws
        How often each replica evaluated each random operation before.
    owners
        The replicas whose values of the variables that they write are wanted.
    blocks
        For each result the size per replica and the offset of its block, None for no
        block.
    variables
        The value of each variable, None for one without, unless it is the same as in
        the last run of the program with these cores.
    entropy
        Makes draws without seeds differ from session to session.
    timeout
        The deadline of every wait, in seconds.
    traced
        Whether it sends the names of the operations that ran.
    capacity
        How many events of each core it records.
    freed
        The blocks of the process's heap that the host no longer uses.
    all_reduce
        The algorithm for sums over replicas.
    """

    run: int
    program: int
    placement: int
    inputs: list[DescribedColumn]
    draws: list[Drawn]
    owners: list[int]
    blocks: list[tuple[int, int] | None]
    variables: list[tuple[str, Described | None]]
    entropy: int
    timeout: float
    traced: bool
    capacity: int
    freed: list[int]
    all_reduce: str


Drawn = tuple[int, str, int]
"""A replica, a random operation, and how often the one has evaluated the other."""


class Results(NamedTuple):
    """``done``, from a process: the outcome for its cores.

    Attributes
    ----------
    outputs
        The results of the replicas whose first core it carries, None for those that
        lie in their block.
    written
        The variables that replicas wrote: replica, name and value.
    draws
        How often each replica has evaluated each random operation.
    trace
        Each core with the names of the operations that ran on it.
    """

    outputs: list[DescribedColumn | None]
    written: list[tuple[int, str, Described]]
    draws: list[Drawn]
    trace: list[tuple[int, list[str]]]


class Divergence(NamedTuple):
    """One entry of ``diverged``: a replica that did not meet others in a collective.

    Attributes
    ----------
    replica
        The replica.
    op, name, site
        The collective that the core is in.
    shape
        The shape of its replica's contribution.
    group
        The replicas that should have met.
    """

    replica: int
    op: str
    name: str
    site: Site
    shape: tuple[int, ...]
    group: list[int]


class Failure(NamedTuple):
    """``error``, from a process: what one of its cores raised.

    Attributes
    ----------
    kind, message
        The class of the error, and what it says.
    op, site
        The operation that failed, None if that is not known.
    text
        The traceback.
    """

    kind: str
    message: str
    op: str | None
    site: Site | None
    text: str


class RemoteTraceback(Exception):
    """The traceback of an error, as text from the process where it was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def remote_traceback(text: str) -> RemoteTraceback | None:
    """Return a cause that shows what a core wrote, None if it wrote nothing."""
    return RemoteTraceback(text) if text else None


def rebuilt(failure: Failure) -> OpError:
    """Return the error of a core, with the core's traceback as its cause."""
    kind: type[OpError] = getattr(errors, failure.kind)
    site = None if failure.site is None else CallSite(*failure.site)
    error = kind(failure.message, op=failure.op, site=site)
    error.__cause__ = remote_traceback(failure.text)
    return error
