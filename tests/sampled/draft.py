"""Programs that grow by random inputs and calls, as plain data.

See ``plain`` for what the data mean.  Sizes are mostly small, with empty arrays and
scalars among them; dtypes are mostly float32, values mostly moderate.  Some arguments
are wrong in their dtype, sizes or axis, so that errors are compared too.
"""

import math
import random

FLOATS = ("float32", "float32", "float32", "float64", "float16", "bfloat16")
INTEGERS = ("int32", "int64", "uint8", "int32", "int8", "int16", "uint16")
COMPLEX = ("complex64", "complex128")
INDICES = ("int32", "int32", "int64")
NUMBERS = (*FLOATS, *INTEGERS, *COMPLEX)
ANY = (*NUMBERS, "bool")
MOSTLY_FLOATS = (*FLOATS, *FLOATS, *FLOATS, *ANY)
LIMITS = {
    "int8": (-128, 127),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 255),
}
ODD_FLOATS = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1e-30, 3e4, -1.0)


class Draft:
    """The steps of a program that grows, and the choices for it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.steps = []
        self.inputs = []
        self.odd = self.one_in(3)
        """Whether values are special ones too."""
        self.wrong = self.one_in(8)
        """Whether arguments may be wrong."""
        self.empty = self.one_in(4)
        """Whether sizes may be zero."""
        self.unknown = self.random.choice(["constant", "full", "part", "none", "mixed"])
        """What static shapes know."""

    def one_in(self, number):
        return self.random.randrange(number) == 0

    def choice(self, *options):
        return self.random.choice(options)

    def slip(self):
        """Return whether to choose a wrong argument here."""
        return self.wrong and self.one_in(3)

    def size(self):
        return self.random.choice((0, 1, 2, 3) if self.empty else (1, 2, 3, 4))

    def sizes(self, least=0, most=3):
        if self.slip():
            least, most = 0, 4
        return tuple(self.size() for _ in range(self.random.randint(least, most)))

    def dtype(self, options):
        return self.random.choice(ANY if self.slip() else options)

    def axis(self, sizes):
        rank = len(sizes)
        if self.slip() or not rank:
            return self.random.randint(-rank - 1, rank)
        return self.random.randint(-rank, rank - 1)

    def step(self, call, *args, **kwargs):
        name = f"v{len(self.steps)}"
        self.steps.append(
            {"to": name, "call": call, "args": list(args), "kwargs": kwargs}
        )
        return "%" + name

    # -- inputs ----------------------------------------------------------------

    def x(self, dtypes=FLOATS, sizes=None, least=0, most=3, **bounds):
        """Add an input and return the reference to it."""
        return self.given(self.dtype(dtypes), sizes, least, most, **bounds)

    def given(self, dtype, sizes=None, least=0, most=3, **bounds):
        """Add an input of this dtype."""
        if sizes is None or self.slip():
            sizes = self.sizes(least, most)
        data = [self.number(dtype, **bounds) for _ in range(math.prod(sizes))]
        name = self._add_input(dtype, data, list(sizes), self.static(sizes))
        self.inputs.append((name, dtype, sizes))
        return "%" + name

    def _add_input(self, dtype, data, sizes, static):
        name = f"v{len(self.steps)}"
        step = {"to": name, "call": "input", "dtype": dtype, "data": data}
        self.steps.append({**step, "sizes": sizes, "static": static})
        return name

    def static(self, sizes):
        known = self.unknown
        if known == "mixed":
            known = self.choice("constant", "full", "part", "none")
        if known in ("constant", "none"):
            return known if known == "constant" else None
        if known == "full":
            return list(sizes)
        return [None if self.one_in(2) else size for size in sizes]

    def number(self, dtype, low=None, high=0):
        if dtype == "bool":
            return self.one_in(2)
        if dtype in COMPLEX:
            return [self.number("float32", low, high) for _ in range(2)]
        if dtype in LIMITS:
            least, most = LIMITS[dtype]
            if low is not None:
                return self.random.randint(max(int(low), least), min(int(high), most))
            if self.odd and self.one_in(4):
                return self.choice(least, most, most - 1, least + 1)
            return self.random.randint(max(least, -5), 9)
        if low is not None:
            return round(self.random.uniform(low, high), 3)
        if self.odd and self.one_in(3):
            return self.random.choice(ODD_FLOATS)
        return round(self.random.uniform(-3, 3), 2)

    def index(self, size, sizes):
        """Add indices below a size."""
        high = max(size - 1, 0)
        least = -1 if self.slip() else 0
        return self.x(INDICES, sizes, low=least, high=high + (1 if self.slip() else 0))

    def vector(self, *numbers):
        """Return integers as a list, or as an input."""
        if self.one_in(3):
            return list(numbers)
        dtype, sizes = self.random.choice(INDICES), [len(numbers)]
        static = self.choice("constant", "constant", sizes, None)
        return "%" + self._add_input(dtype, list(numbers), sizes, static)

    def fitting(self, sizes):
        """Return sizes that broadcast with others."""
        if self.slip():
            return self.sizes()
        kept = sizes[self.random.randint(0, len(sizes)) :] if self.one_in(2) else sizes
        return tuple(1 if self.one_in(4) else size for size in kept)

    def alike(self, dtype, sizes):
        """Add one to three inputs of one dtype and shape."""
        return [self.given(dtype, sizes) for _ in range(self.choice(1, 2, 3))]

    def front(self, sizes):
        """Return the first sizes, at least one if there are any."""
        return sizes[: self.random.randint(1, max(len(sizes), 1))]

    def last(self):
        return self.inputs[-1][2]


CALLS = {}


def add(names, call, prefix="tf."):
    """Let a call stand for functions of these names."""
    for name in names.split():
        CALLS[prefix + name] = lambda d, full=prefix + name: call(d, full)


def drawn(*names):
    def register(call):
        for name in names:
            add(name, call)
        return call

    return register
