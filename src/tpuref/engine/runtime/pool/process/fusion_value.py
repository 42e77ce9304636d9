"""Values of a fusion while its plan is made, and memory that each run allocates."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.columns import Shape

Part = tuple[int, Shape, np.dtype[Any], int, Shape]
"""An entry, and the shape, dtype, offset and strides of its array in other memory."""


class Fresh:
    """Memory that each run allocates, and the values that lie in parts of it.

    `example` is such memory, which nothing reads or writes.
    """

    def __init__(self, shape: Shape, dtype: np.dtype[Any]) -> None:
        self.example: Array = np.empty(shape, dtype)
        self.parts: list[Part] = []

    def add(self, entry: int, part: Array) -> None:
        """Add a value, given its entry and a part of the example."""
        offset = part.ctypes.data - self.example.ctypes.data
        self.parts.append((entry, part.shape, part.dtype, offset, part.strides))


@dataclass(eq=False)
class Value:
    """A value while the plan is made.

    `shape` is None if only a run decides it.  `entry` is the index of the whole in the
    table, with the rows next to it; `whole` and `rows` say which are filled in.
    `known` is the array of a constant, `buffer` the memory that the plan keeps.  A
    `lasting` value may share such memory; that of a `pinned` one must not be reused.
    `example` is a part of the example of `fresh` memory with the layout of the value.
    `aligned` has, by rank, the index of the stack with axes of size 1 inserted.
    """

    kind: int
    shape: Shape | None
    dtype: np.dtype[Any]
    entry: int
    whole: bool = False
    rows: bool = False
    known: Array | None = None
    buffer: Array | None = None
    lasting: bool = False
    pinned: bool = False
    fresh: Fresh | None = None
    example: Array | None = None
    aligned: dict[int, int] = field(default_factory=dict)

    @property
    def nbytes(self) -> float:
        """The size of the array of one core."""
        size = math.inf if self.shape is None else math.prod(self.shape)
        return size * self.dtype.itemsize

    @property
    def operand(self) -> Operand:
        """The description for an inference rule."""
        return Operand(TensorShape(self.shape), as_dtype(self.dtype), self.known)

    def any_array(self) -> Array:
        """Return the array of a constant, or an arbitrary array of the same shape."""
        if self.known is None:
            return np.empty(self.shape or (), self.dtype)
        return self.known
