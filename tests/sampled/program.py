"""A sampled program: statements of source text, and ways to make it smaller."""

from dataclasses import dataclass, replace

Shape = tuple["int | str", ...]
"""Sizes; a text stands for a size that the replicas do not share."""


@dataclass(frozen=True)
class Value:
    """A tensor of the computation."""

    name: str  # the variable that holds it
    dtype: str  # what is known of it
    shape: Shape
    uniform: bool  # whether it is the same on all replicas

    @property
    def is_static(self):
        return not any(isinstance(size, str) for size in self.shape)


@dataclass(frozen=True)
class Statement:
    """Lines of the computation that stand or fall together."""

    kind: str  # the family of the operation
    lines: tuple[str, ...]  # the source
    reads: frozenset[str]  # the names of the values that it uses and makes
    writes: tuple[str, ...]
    # the logical core that it is placed on, None where nothing is said
    core: int | None

    def source(self):
        if self.core is None:
            return list(self.lines)
        return [f"with tf.device(tf.tpu.core({self.core})):", *indented(self.lines)]


@dataclass(frozen=True)
class Sample:
    """A program that was drawn."""

    seed: int  # what it was drawn from
    label: str  # its choices, as the name of a test
    cores: int  # the number of cores of the system
    before: tuple[str, ...]  # the source before the computation
    parameters: tuple[str, ...]  # the names of the inputs of the computation
    statements: tuple[Statement, ...]  # the computation
    outputs: tuple[str, ...]  # the names of the values that it returns
    after: tuple[str, ...]  # the source after the computation

    @property
    def kinds(self):
        return sorted({kind for s in self.statements for kind in s.kind.split()})

    def source(self):
        """Return what builds the program: outputs, variables, feed(turn)."""
        body = [line for s in self.statements for line in s.source()]
        return "\n".join(
            [
                *self.before,
                f"def computation({', '.join(self.parameters)}):",
                *indented([*body, f"return {nested(self.outputs)}"]),
                *self.after,
            ]
        )

    def script(self):
        """Return what can be pasted to see both executors side by side."""
        return "\n".join([self.source(), *_SIDE_BY_SIDE.format(self.cores).split("\n")])


_SIDE_BY_SIDE = """
for executor in ("lockstep", "pool"):
    settings = tf.config.override(executor=executor, cores={}, timeout=20)
    with settings, tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for turn in (0, 1):
            print(executor, turn, session.run(outputs, feed(turn)))
        print(executor, "variables", session.run(variables))
"""


def indented(lines):
    return ["    " + line for line in lines]


def nested(names):
    """Return a structure that holds all the names, whose form their number decides."""
    if len(names) == 0:
        return "None"
    if len(names) == 1:
        return names[0]
    first, second, *others = names
    if len(names) % 2:
        return f"{{'a': {first}, 'b': ({second}, [{', '.join(others)}])}}"
    return f"[{first}, {{'k': {second}, 'l': [{', '.join(others)}]}}]"


def smallest(sample, fails):
    """Return a program that still fails, from which no more part can be taken."""
    for smaller in _one_part_less(sample):
        if fails(smaller):
            return smallest(smaller, fails)
    return sample


def _one_part_less(sample):
    for statement in reversed(sample.statements):
        yield _without(sample, statement)
    for name in sample.outputs:
        kept = tuple(output for output in sample.outputs if output != name)
        yield replace(sample, outputs=kept)


def _without(sample, dropped):
    """Return the program without a statement and all that depends on it."""
    gone = set(dropped.writes)
    kept = []
    for statement in sample.statements:
        if statement is dropped or statement.reads & gone:
            gone.update(statement.writes)
        else:
            kept.append(statement)
    outputs = tuple(name for name in sample.outputs if name not in gone)
    return replace(sample, statements=tuple(kept), outputs=outputs)
