"""Sums over replicas that processes bring and fetch together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.columns import Column
from tpuref.engine.runtime.pool.process.collectives import (
    CoreCollectives,
    ReplicaSum,
    Shape,
)
from tpuref.engine.runtime.pool.split import Lane


class Exchange:
    """Sums of one program that need nothing of each other, prepared for many runs.

    Each core brings one vector that has all its contributions side by side.  Every
    element is summed as in a sum of its own, so the bits are the same.

    Parameters
    ----------
    collectives
        The part of this process in sums.
    instrs
        The instructions that sum; their shapes are known if there are several.
    lanes
        The cores that run them.

    Attributes
    ----------
    lanes
        The same.
    sums
        Each sum by itself.
    """

    def __init__(
        self,
        collectives: CoreCollectives,
        instrs: Sequence[Instr],
        lanes: Sequence[Lane],
    ) -> None:
        self.lanes = lanes
        self.sums = [ReplicaSum(collectives, instr, lanes) for instr in instrs]
        self._collectives = collectives
        self._together = ReplicaSum(collectives, instrs[0], lanes)
        self._shapes: list[Shape] = []
        if len(instrs) > 1:
            self._shapes = [_shape(instr) for instr in instrs]
        sizes = [math.prod(shape) for shape in self._shapes]
        ends = list(itertools.accumulate(sizes, initial=0))
        self._parts = [slice(*pair) for pair in itertools.pairwise(ends)]
        self._length = ends[-1]
        self._vectors: list[Array | None] | None = None
        self._places: dict[int, list[Array]] = {}

    def joins(self, given: Sequence[Column]) -> bool:
        """Return whether the contributions to all sums can be added as one vector."""
        return self._collectives.joins and all(
            array.shape == shape
            for column, shape in zip(given, self._shapes, strict=True)
            for array in column
        )

    def __call__(self, given: Sequence[Column]) -> list[Sequence[Array]]:
        """Return the sums of each instruction, for the contributions to each."""
        totals = self._together(self._side_by_side(given))
        self._forget()
        shared = all(total is totals[0] for total in totals)
        different = totals[:1] if shared else totals
        found: list[Sequence[Array]] = []
        for part, shape in zip(self._parts, self._shapes, strict=True):
            column = [total[part].reshape(shape) for total in different]
            found.append(column * len(totals) if shared else column)
        return found

    def one(self, number: int, column: Column) -> Sequence[Array]:
        """Return one of the sums, taken by itself."""
        if number == len(self.sums) - 1:
            self._forget()
        return self.sums[number](column)

    def places(
        self, number: int, shape: Shape, dtype: np.dtype[Any]
    ) -> list[Array | None]:
        """Return memory to compute the contributions to a sum in, None for any."""
        if len(self.sums) == 1 or not self._collectives.joins:
            return self.sums[number].places(shape, dtype)
        part, found = self._parts[number], self._memory(dtype)
        if shape != self._shapes[number] or any(vector is None for vector in found):
            return [None] * len(found)
        self._places[number] = [v[part].reshape(shape) for v in found if v is not None]
        return list(self._places[number])

    def _memory(self, dtype: np.dtype[Any]) -> Sequence[Array | None]:
        """Return where the vectors of the cores are to lie, None for anywhere."""
        if self._vectors is None:
            self._vectors = self._together.places((self._length,), dtype)
        return self._vectors

    def _forget(self) -> None:
        """Leave the memory to the values that lie in it."""
        self._vectors = None
        self._places.clear()

    def _side_by_side(self, given: Sequence[Column]) -> list[Array]:
        """Return the vector of each core, with all its contributions."""
        found = []
        for place, vector in enumerate(self._memory(given[0][0].dtype)):
            arrays = [column[place] for column in given]
            if vector is None:
                vector = np.concatenate([array.reshape(-1) for array in arrays])
            else:
                for number, array in enumerate(arrays):
                    there = self._places.get(number)
                    if there is None or array is not there[place]:
                        vector[self._parts[number]] = array.reshape(-1)
            found.append(vector)
        return found


class Addend(NamedTuple):
    """What the cores contribute to one of the sums of an exchange.

    Attributes
    ----------
    exchange
        The exchange.
    number
        Which of its sums.
    """

    exchange: Exchange
    number: int

    @property
    def lanes(self) -> Sequence[Lane]:
        """The cores that contribute."""
        return self.exchange.lanes

    def places(self, shape: Shape, dtype: np.dtype[Any]) -> list[Array | None]:
        """Return memory to compute the contributions in, None for any."""
        return self.exchange.places(self.number, shape, dtype)


def _shape(instr: Instr) -> Shape:
    return tuple(size or 0 for size in instr.specs[0].shape.as_list())
