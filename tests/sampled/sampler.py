"""Draws programs from seeds: the system, inputs, variables, computation, outputs."""

import random

from .block import FLOATS, Block, Drawing, elements
from .families import fill
from .program import Sample, Value

SYSTEMS = (1, 2, 2, 2, 3, 3, 4, 4, 4, 8)
"""The numbers of cores to choose from."""

_SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8)
_LARGE = (61, 700, 3000)
_DTYPES = (*FLOATS, "float32", "float32", "int32", "int64", "uint32", "bool")

_PREAMBLE = """\
import numpy as np
import tpuref as tf

def data(seed, dtype, *shape):
    values = np.asarray(3 * np.random.default_rng(seed).standard_normal(shape))
    values = values > 0 if dtype == "bool" else values
    values = abs(values) if dtype.startswith("u") else values
    return values.astype(tf.as_dtype(dtype).as_numpy_dtype)

def doubled(values):
    return np.add(values, values)

tf.set_random_seed({seed})"""


class Sampler:
    """One program being drawn."""

    def __init__(self, seed):
        self._seed = seed
        self._random = random.Random(seed)
        self._before = _PREAMBLE.format(seed=seed).split("\n")
        self._feeds = []
        self._parameters = []
        self._maximum = []
        self._captured = []
        self._cores = self._random.choice(SYSTEMS)
        self._logical, self._replicas, self._assignment = self._placement()
        self._padded = self._random.randrange(4) == 0
        self._theme = self._random.choice(_DTYPES), self._sizes()
        self._drawing = Drawing(self._random, self._replicas, self._logical)

    def _one_in(self, number):
        return self._random.randrange(number) == 0

    def _placement(self):
        """Return cores per replica, replicas, and the source of an assignment."""
        if self._one_in(2):
            return 1, self._cores if not self._one_in(5) else 1, ""
        logical = self._random.randint(1, min(3, self._cores))
        replicas = self._random.randint(1, self._cores // logical)
        chosen = self._random.sample(range(self._cores), replicas * logical)
        rows = [chosen[r * logical : (r + 1) * logical] for r in range(replicas)]
        return logical, replicas, str(rows)

    def _sizes(self):
        sizes = [self._random.choice(_SIZES) for _ in range(3)]
        if self._one_in(3):
            sizes[0] = self._random.choice(_LARGE)
        return sizes

    def _dtype(self):
        return self._random.choice(_DTYPES) if self._one_in(3) else self._theme[0]

    def _shape(self):
        a, b, c = self._theme[1]
        shapes = [(), (a,), (b,), (a, b), (b, c), (c, b), (1, b), (b, b), (2, b, c)]
        return self._random.choice([s for s in shapes if elements(s) <= 9000])

    def _add_input(self):
        name, dtype, shape = f"x{len(self._parameters)}", self._dtype(), self._shape()
        place = f"data({self._random.randrange(1000)} + 2 * replica + turn"
        sizes = ", ".join(map(str, shape))
        known = shape
        if self._padded and shape and max(shape) < 60:
            known = (f"n{name}", *shape[1:])
            largest = [self._random.randint(0, 9) for _ in range(4)]
            others = [str(size) for size in shape[1:]]
            sizes = ", ".join([f"{largest}[(replica + turn) % 4]", *others])
            limit = self._random.choice(["None", "9", "12"])
            self._maximum.append(f"tf.TensorShape([{', '.join([limit, *others])}])")
        else:
            self._maximum.append("None")
        fixed = [None if isinstance(size, str) else size for size in known]
        value = f"{place}, {dtype!r}{', ' if sizes else ''}{sizes})"
        everyone = f"for replica in range({self._replicas})"
        if known is shape and self._one_in(3):
            value = value.replace(" + turn", "")
            self._before.append(f"{name} = [tf.constant({value}) {everyone}]")
        else:
            self._before.append(
                f"{name} = [tf.placeholder(tf.{dtype}, {fixed}) "
                f"for _ in range({self._replicas})]"
            )
            self._feeds.append(f"**{{{name}[replica]: {value} {everyone}}},")
        self._parameters.append(Value(name, dtype, known, self._replicas == 1))

    def _add_captured(self):
        name, dtype, shape = f"c{len(self._captured)}", self._dtype(), self._shape()
        self._before.append(f"{name} = tf.constant({self._data(dtype, shape)})")
        self._captured.append(Value(name, dtype, shape, True))

    def _add_variable(self):
        name = f"w{len(self._drawing.variables)}"
        dtype, shape = self._dtype(), self._shape()
        value = self._data(dtype, shape)
        self._before.append(f"{name} = tf.get_variable({name!r}, initializer={value})")
        self._drawing.variables.append(Value(name, dtype, shape, True))

    def _data(self, dtype, shape):
        sizes = "".join(f", {size}" for size in shape)
        return f"data({self._random.randrange(1000)}, {dtype!r}{sizes})"

    def sample(self):
        """Draw the rest and return the program."""
        for _ in range(self._random.randint(0, 3)):
            self._add_input()
        for _ in range(self._random.randint(0, 2)):
            self._add_captured()
        for _ in range(self._random.randint(0, 2)):
            self._add_variable()
        if not self._parameters and not self._captured:
            self._add_captured()
        variables = [variable.name for variable in self._drawing.variables]
        block = Block(self._drawing, [*self._parameters, *self._captured])
        fill(block, self._random.randint(4, 12))
        names = [value.name for value in block.values]
        count = min(len(names), self._random.randint(1, 6))
        outputs = tuple(names[-1:] + self._random.sample(names[:-1], count - 1))
        return Sample(
            seed=self._seed,
            label=self._label(block),
            cores=self._cores,
            before=tuple(self._before),
            parameters=tuple(value.name for value in self._parameters),
            statements=tuple(block.statements),
            outputs=outputs,
            after=tuple(self._after(variables)),
        )

    def _label(self, block):
        padded = ["padded"] if any(m != "None" for m in self._maximum) else []
        dtype, sizes = self._theme
        return "-".join(
            [
                f"{self._seed:03}",
                f"{self._cores}cores",
                f"{self._replicas}x{self._logical}",
                dtype,
                "x".join(map(str, sizes)),
                *padded,
                *sorted(block.kinds()),
            ]
        )

    def _after(self, variables):
        own = [f"{value.name}[replica]" for value in self._parameters]
        inputs = f"[[{', '.join(own)}] for replica in range({self._replicas})]"
        arguments = ["computation", inputs]
        lines = []
        if self._assignment:
            lines = [
                f"topology = tf.contrib.tpu.Topology.for_cores({self._cores})",
                "cores = topology.device_coordinates.reshape(-1, 3)",
                "assignment = tf.contrib.tpu.DeviceAssignment(",
                f"    topology, cores[np.array({self._assignment})]",
                ")",
            ]
            arguments.append("device_assignment=assignment")
        if any(maximum != "None" for maximum in self._maximum):
            policy = self._random.choice(["AUTO", "POWER_OF_TWO"])
            arguments += [
                f"maximum_shapes=[{', '.join(self._maximum)}]",
                f"padding_spec=tf.tpu.PaddingSpec.{policy}",
            ]
        return [
            *lines,
            f"outputs = tf.tpu.replicate({', '.join(arguments)})",
            f"variables = [{', '.join(variables)}]",
            "def feed(turn):",
            "    return {",
            *(f"        {line}" for line in self._feeds),
            "    }",
        ]


def draw(seed):
    """Return the program of a seed."""
    return Sampler(seed).sample()
