"""Padding the inputs of replicas to one common shape, and the record of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.ops.meaning import Array
from tpuref.kernels import arrays

Dimensions = tuple[tuple["int | None", bool], ...]
"""For each dimension the size to pad to (None: the largest), and whether the largest
is rounded up to a power of two."""

Shape = tuple[int, ...]


@dataclass(frozen=True)
class PaddedInput:
    """How one input of a replicated computation was padded in its latest run."""

    # The name of the replicated computation
    operation: str
    # The position of the input among all leaves, and its path
    index: int
    name: str
    # The shape that each replica brought
    true_shapes: tuple[Shape, ...]
    # The shape of the buffers
    padded_shape: Shape
    # For each dimension, the first replica whose size decided it; None where
    # maximum_shapes gave the size
    forced_by: tuple[int | None, ...]
    # The part of the buffers that is padding, from 0 to 1
    waste: float
    # How many different shapes this computation has been run with so far
    compilations: int
    # How many of its runs found their shapes among those of earlier ones
    hits: int


@dataclass
class PaddingRecord:
    """How the inputs of one replicated computation were padded."""

    inputs: tuple[PaddedInput, ...] = ()
    compiled: set[tuple[tuple[Shape, ...], ...]] = field(default_factory=set)
    hits: int = 0

    def count(self, shapes: tuple[tuple[Shape, ...], ...]) -> None:
        """Record the padded shapes of a run."""
        if shapes in self.compiled:
            self.hits += 1
        self.compiled.add(shapes)


def padded_shape(name: str, shapes: Sequence[Shape], dimensions: Dimensions) -> Shape:
    """Return the shape that the inputs of all replicas are padded to.

    It raises InvalidArgumentError if an input has the wrong rank or exceeds a given
    size.
    """
    for replica, shape in enumerate(shapes):
        _check(name, replica, shape, dimensions)
    return tuple(
        size if size is not None else _largest([s[k] for s in shapes], bucketed)
        for k, (size, bucketed) in enumerate(dimensions)
    )


def _check(name: str, replica: int, shape: Shape, dimensions: Dimensions) -> None:
    sizes = [size for size, _ in dimensions]
    if len(shape) != len(dimensions):
        raise InvalidArgumentError(
            f"{name}: replica {replica} has shape {list(shape)}, expected rank "
            f"{len(sizes)}, that of maximum_shapes {sizes}",
            code=codes.INVALID_PADDING,
        )
    for k, (size, _) in enumerate(dimensions):
        if size is not None and shape[k] > size:
            raise InvalidArgumentError(
                f"{name}: replica {replica} has shape {list(shape)}, whose "
                f"dimension {k} is {shape[k]} and exceeds the {size} of "
                f"maximum_shapes {sizes}",
                code=codes.INVALID_PADDING,
            )


def _largest(sizes: Sequence[int], bucketed: bool) -> int:
    largest = max(sizes)
    return next_bucket(largest) if bucketed else largest


def next_bucket(size: int) -> int:
    """Return the smallest power of two, from 2 up, that holds `size`.

    >>> [next_bucket(size) for size in (0, 1, 2, 3, 4, 5, 17)]
    [2, 2, 2, 4, 4, 8, 32]
    """
    return max(2, 1 << (size - 1).bit_length())


def pad(array: Array, buffer: Array, visible: bool) -> Array:
    """Put `array` into `buffer`, zeros after it, and return the computation's input.

    That is the buffer where padding is visible, else a view of the array in it.
    """
    filled = arrays.pad_to(array, buffer.shape, out=buffer)
    if visible:
        return filled
    # The ellipsis makes a view even of a scalar.
    corner: tuple[Any, ...] = (*(slice(size) for size in array.shape), ...)
    view: Array = filled[corner]
    return view


def account(
    operation: str,
    index: int,
    name: str,
    shapes: Sequence[Shape],
    padded: Shape,
    dimensions: Dimensions,
    record: PaddingRecord,
) -> PaddedInput:
    """Return how one input was padded."""
    held = int(np.prod(padded)) * len(shapes)
    used = sum(int(np.prod(shape)) for shape in shapes)
    forced = tuple(
        None
        if size is not None
        else max(range(len(shapes)), key=lambda r: shapes[r][k])
        for k, (size, _) in enumerate(dimensions)
    )
    return PaddedInput(
        operation=operation,
        index=index,
        name=name,
        true_shapes=tuple(shapes),
        padded_shape=padded,
        forced_by=forced,
        waste=1.0 - used / held if held else 0.0,
        compilations=len(record.compiled),
        hits=record.hits,
    )
