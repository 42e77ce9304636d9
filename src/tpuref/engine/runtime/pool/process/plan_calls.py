"""The calls of a fusion plan: functions that read and write its table.

Those of a chain take all its operations for one block of elements after the other.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.engine.ops.definition import outputs_of
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.columns import Shape
from tpuref.kernels import elementwise as kernel

BLOCK_BYTES = 1 << 18
"""The memory of a block in a chain of elementwise operations.

The blocks of a few operands stay in a cache of the second level.
"""

Table = list[Any]
Call = Callable[[Table], Any]


class UnexpectedShape(Exception):
    """The shape of a result differs from the inferred one."""


class Link(NamedTuple):
    """An elementwise operation in a chain, on arrays of these shapes; the last is out.

    A chain takes all its operations for one block of elements after the other.  An
    output may lie in the memory of an input that is not read any more: blocks of the
    same place coincide, as all outputs of a chain have one shape.  `name` is that of
    an operation of `tpuref.kernels.elementwise` which computes it.
    """

    number: int
    function: Callable[..., Any]
    entries: Sequence[int]
    shapes: Sequence[Shape]
    name: str | None = None


def writing(function: Callable[..., Any]) -> Callable[..., None]:
    """Return a function that writes the result of another into its last argument."""

    def write(*arrays: Array) -> None:
        *inputs, out = arrays
        result = function(*inputs, out=out)
        if result is not out:
            if np.shape(result) != out.shape:
                raise UnexpectedShape
            out[...] = result

    return write


def joining_images(function: Callable[..., Array], place: int) -> Callable[..., Array]:
    """Return a function that computes the images of all cores as one batch.

    The array at `place` and the result have the cores as their first axis.
    """
    write = writing(function)

    def compute(*arrays: Array, out: Array) -> Array:
        inputs = list(arrays)
        inputs[place] = inputs[place].reshape(-1, *inputs[place].shape[2:])
        together = out.reshape(-1, *out.shape[2:])
        write(*inputs, together)
        return out

    return compute


class Result(NamedTuple):
    """A result to return; an `owned` one must not be a view of an input.

    If it `repeats`, all its readers take an array that repeats elements.
    """

    shape: Shape | None
    dtype: np.dtype[Any]
    owned: bool
    repeats: bool


def returning(
    function: Callable[..., Any], wanted: Sequence[Result]
) -> Callable[..., list[Array]]:
    """Return a function that returns arrays of the right dtype, shape and layout."""

    def compute(*arrays: Array) -> list[Array]:
        results = []
        outputs = outputs_of(function(*arrays))
        for result, (shape, dtype, owned, repeats) in zip(outputs, wanted, strict=True):
            keeps = repeats and 0 in np.asarray(result).strides
            array: Array = np.asarray(result, dtype, order="K" if keeps else "C")
            if shape is not None and array.shape != shape:
                raise UnexpectedShape
            if owned and (array.base is not None or any(array is x for x in arrays)):
                array = array.copy()
            results.append(array)
        return results

    return compute


def once(function: Callable[..., Any], entries: Sequence[int]) -> Call:
    """Return the call of a function on entries; it writes into the last."""
    if len(entries) == 2:
        x, out = entries
        return lambda table: function(table[x], table[out])
    if len(entries) == 3:
        x, y, out = entries
        return lambda table: function(table[x], table[y], table[out])
    return lambda table: function(*[table[entry] for entry in entries])


def blocks_of(shape: Shape) -> list[tuple[slice, ...]]:
    """Return the parts of an array of 4-byte elements, cut along its first two axes."""
    rows = BLOCK_BYTES // 4 // max(math.prod(shape[1:]), 1)
    if rows or len(shape) < 2:
        return [(part,) for part in _parts(shape[0], max(rows, 1))] if shape else [()]
    columns = max(BLOCK_BYTES // 4 // max(math.prod(shape[2:]), 1), 1)
    return [
        (slice(row, row + 1), part)
        for row in range(shape[0])
        for part in _parts(shape[1], columns)
    ]


def _parts(size: int, length: int) -> list[slice]:
    return [slice(start, start + length) for start in range(0, size, length)]


def in_blocks(
    chain: Sequence[Link],
    blocks: Sequence[tuple[slice, ...]],
    known: Table,
    inner: Collection[int],
) -> Call:
    """Return the call of a chain; `known` has the arrays that every run uses.

    Only the chain reads the `inner` entries, so one block of memory serves all blocks
    of such a value, and stays in the cache.
    """
    rank = len(chain[0].shapes[-1])
    shapes = {
        entry: shape
        for link in chain
        for entry, shape in zip(link.entries, link.shapes, strict=True)
    }

    def cut(array: Array, shape: Shape) -> list[Array]:
        if not shape:  # indexing would copy it
            return [array] * len(blocks)
        places = []
        for block in blocks:
            cuts = [slice(None)] * (rank - len(block))
            aligned = [*block, *cuts][rank - len(shape) :]
            places.append(
                tuple(
                    part if size != 1 else slice(None)
                    for part, size in zip(aligned, shape, strict=True)
                )
            )
        return [array[place] for place in places]

    views = {
        entry: cut(known[entry], shape)
        for entry, shape in shapes.items()
        if known[entry] is not None
    }
    for entry in inner & views.keys():
        parts = views[entry]
        block = np.empty(parts[0].size, parts[0].dtype)
        views[entry] = [block[: part.size].reshape(part.shape) for part in parts]
    others = {entry: shape for entry, shape in shapes.items() if entry not in views}

    def call(table: Table) -> None:
        here = {entry: cut(table[entry], shape) for entry, shape in others.items()}
        here.update(views)
        steps = [(link.function, [here[e] for e in link.entries]) for link in chain]
        for block in range(len(blocks)):
            for function, columns in steps:
                function(*[column[block] for column in columns])

    return call


def joined(chain: Sequence[Link], inner: Collection[int]) -> list[Link]:
    """Return a chain in which one kernel computes neighbours that it can compute.

    Only the operations of the chain read the `inner` entries.
    """
    links: list[Link] = []
    uses = _uses(chain)
    for known, run in itertools.groupby(chain, lambda link: link.name is not None):
        neighbours = list(run)
        if not known:
            links += neighbours
            continue
        for part in _parts(len(neighbours), kernel.MOST_STEPS):
            own = _uses(neighbours[part])
            alone = {e for e in own if e in inner and own[e] == uses[e]}
            links.append(_join(neighbours[part], alone))
    return links


def _uses(chain: Sequence[Link]) -> Counter[int]:
    """Return the number of operations that read or write each entry."""
    return Counter(entry for link in chain for entry in {*link.entries})


def _join(members: Sequence[Link], inner: Collection[int]) -> Link:
    """Return the link of several; its last entry is the last output."""
    if len(members) == 1:
        return members[0]
    shapes: dict[int, Shape] = {}
    steps = []
    for link in members:
        name = link.name or ""
        used = [*range(kernel.OPERATIONS[name]), -1]
        shapes |= {link.entries[k]: link.shapes[k] for k in used}
        steps.append((name, [link.entries[k] for k in used]))
    places = {entry: place for place, entry in enumerate(shapes)}
    function = kernel.Chain(
        [(name, [places[entry] for entry in entries]) for name, entries in steps],
        [places[entry] for entry in inner if entry in places],
    )
    return Link(members[0].number, function, [*places], [*shapes.values()])


def forget(entries: Sequence[int]) -> Call:
    """Return the call that drops the arrays of entries."""

    def call(table: Table) -> None:
        for entry in entries:
            table[entry] = None

    return call


def for_each(function: Callable[..., Any], entries: Sequence[int]) -> Call:
    """Return the calls of a function, for one core after the other."""

    def call(table: Table) -> None:
        columns = [table[entry] for entry in entries]
        for arrays in zip(*columns, strict=True):
            function(*arrays)

    return call


def gather(source: int, rows: Sequence[Array]) -> Call:
    """Return the call that copies the arrays of the cores into a stack."""

    def call(table: Table) -> None:
        for row, array in zip(rows, table[source], strict=True):
            row[...] = array

    return call
