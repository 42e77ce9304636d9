"""A block of statements that grows: the computation, a branch, a loop body."""

import math
import random
from dataclasses import dataclass, field
from itertools import zip_longest

from .program import Statement, Value

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int32", "int64", "uint32")
SUMMABLE = (*FLOATS, "int32", "uint32")
LARGEST = 12_000
"""The most elements of a value."""


@dataclass
class Drawing:
    """What all blocks of one program share."""

    random: random.Random  # where the choices come from
    replicas: int  # who runs the program
    logical_cores: int
    # the variables of the program, as they are at this place
    variables: list[Value] = field(default_factory=list)
    names: int = 0

    def fresh(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def one_in(self, number):
        return self.random.randrange(number) == 0


@dataclass
class Block:
    """Statements, and the values that the next one may use."""

    drawing: Drawing  # the program that the block is a part of
    values: list[Value]  # what is in scope
    # whether all replicas come here equally often, as a collective needs
    together: bool = True
    depth: int = 0  # in how many branches and loops the block stands
    statements: list[Statement] = field(default_factory=list)

    @property
    def random(self):
        return self.drawing.random

    def pick(self, suits):
        """Return one of the values that suit, a late one more often."""
        found = [value for value in self.values if suits(value)]
        if not found:
            return None
        return self.random.choice(found[-4:] if self.drawing.one_in(2) else found)

    def latest_like(self, value):
        """Return the latest value with the dtype and shape of one that is in scope."""
        wanted = value.dtype, value.shape
        return next(v for v in reversed(self.values) if (v.dtype, v.shape) == wanted)

    def let(self, kind, expression, reads, dtype, shape, uniform=True):
        """Add ``name = expression`` and return its value."""
        name = self.drawing.fresh()
        uniform = uniform and all(value.uniform for value in reads)
        value = Value(name, dtype, shape, uniform)
        names = frozenset(read.name for read in reads)
        self.add(kind, [f"{name} = {expression}"], names, [value])
        return value

    def add(self, kind, lines, reads, writes):
        """Add a statement."""
        core = None
        if self.drawing.logical_cores > 1 and not self.drawing.one_in(4):
            core = self.random.randrange(self.drawing.logical_cores)
        names = tuple(value.name for value in writes)
        self.statements.append(Statement(kind, tuple(lines), reads, names, core))
        self.values += writes

    def inner(self, values, together):
        """Return an empty block within this one."""
        return Block(
            self.drawing,
            [*self.values, *values],
            self.together and together,
            self.depth + 1,
        )

    def reads(self):
        return {name for statement in self.statements for name in statement.reads}

    def writes(self):
        return {name for statement in self.statements for name in statement.writes}

    def kinds(self):
        return {kind for s in self.statements for kind in s.kind.split()}


def elements(shape):
    """Return the number of elements, an unknown size counted as 8."""
    return math.prod(8 if isinstance(size, str) else size for size in shape)


def broadcast(first, second):
    """Return the shape of a binary operation, None where the two do not fit."""
    sizes = []
    for a, b in zip_longest(first[::-1], second[::-1], fillvalue=1):
        if a != b and a != 1 and b != 1:
            return None
        sizes.append(b if a == 1 else a)
    return tuple(reversed(sizes))
