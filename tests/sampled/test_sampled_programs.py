"""Programs drawn at random: the core pool gives what lockstep gives, bit for bit."""

import os
from collections import Counter

import pytest

from .executors import difference
from .program import Sample, Statement, smallest
from .sampler import SYSTEMS, draw

SAMPLES = int(os.environ.get("TPUREF_SAMPLES", "60"))
SPLITS = (None, 1, 2, 3, 8)
"""On how many processes the cores of a program run; no more than there are cores.

By default, None, on as many as processors, and those of a light program on one.
"""

DRAWN = sorted(map(draw, range(SAMPLES)), key=lambda drawn: (drawn.cores, drawn.seed))
SPLIT = [
    pytest.param(sample, processes, id=f"{sample.label}-{processes}")
    for processes in SPLITS
    for sample in DRAWN
    if processes is None or processes <= sample.cores
]


@pytest.mark.parametrize(("sample", "processes"), SPLIT)
def test_the_pool_gives_what_lockstep_gives(sample, processes, pool_session):
    found = difference(sample, pool_session, processes)
    if found is None:
        return

    def differs(smaller):
        return difference(smaller, pool_session, processes) is not None

    smaller = smallest(sample, differs)
    pytest.fail(
        f"seed {sample.seed}: {found}\nThe smallest program that differs:\n\n"
        f"{smaller.script()}"
    )


KINDS = [
    *("arrange", "assign", "axis", "binary", "cast", "compare", "concat", "cond"),
    *("gather", "groups", "host", "matmul", "number", "outside", "random", "read"),
    *("reduce", "shape", "slice", "split", "stack", "sum", "transpose", "unary"),
    *("where", "while"),
]


def test_every_family_is_drawn():
    drawn = [draw(seed) for seed in range(60)]
    kinds = Counter(kind for sample in drawn for kind in sample.kinds)
    assert sorted(kinds) == KINDS and min(kinds.values()) >= 3, kinds
    assert {sample.cores for sample in drawn} == set(SYSTEMS)
    assert sum("padded" in sample.label for sample in drawn) >= 6
    assert sum("assignment" in sample.source() for sample in drawn) >= 20


def test_a_seed_gives_one_program():
    assert draw(3) == draw(3) != draw(4)


def test_the_smallest_program_keeps_what_fails():
    def statement(kind, reads, writes):
        lines = (f"{writes} = tf.{kind}({reads})",)
        return Statement(kind, lines, frozenset(reads), (writes,), None)

    sample = Sample(
        seed=0,
        label="",
        cores=1,
        before=(),
        parameters=("x",),
        statements=(
            statement("sin", "x", "a"),
            statement("cos", "a", "b"),
            statement("tan", "b", "c"),
            statement("exp", "x", "d"),
        ),
        outputs=("c", "d", "b"),
        after=(),
    )
    assert smallest(sample, lambda s: "cos" in s.kinds).source() == (
        "def computation(x):\n    a = tf.sin(x)\n    b = tf.cos(a)\n    return None"
    )
