"""Sums of several arrays in a fusion: additions of two, with the bits of the sum."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.pool.process.addition import by_twos

from .programs import fused, fusion_of, instr

CORES, SHAPE = 2, (3, 700)


def shaped(op, inputs, output, dtype=tf.float32):
    return instr(op, inputs, output, gives=dtype, shape=SHAPE)


PROGRAM = [
    shaped("Neg", [0], 1),
    shaped("Square", [0], 2),
    shaped("Exp", [0], 3),
    shaped("AddN", [1, 2, 3], 4),
    shaped("Abs", [0], 5),
    shaped("AddN", [5, 4, 5, 1], 6),
]


def test_each_operand_is_added_right_after_it():
    numbered = by_twos([(each, k) for k, each in enumerate(PROGRAM)])
    assert [(i.op, number) for i, number in numbered] == [
        *(("Neg", 0), ("Square", 1), ("AddV2", 3), ("Exp", 2), ("AddV2", 3)),
        *(("Abs", 4), ("AddV2", 5), ("AddV2", 5), ("AddV2", 5)),
    ]
    last = numbered[-1][0]
    assert last.outputs == (6,) and last.inputs[1] == 1
    assert numbered[4][0].outputs == (4,)


def test_the_bits_are_those_of_the_sum():
    draw = np.random.default_rng(0)
    columns = [draw.standard_normal(SHAPE).astype(np.float32) for _ in range(CORES)]
    values = fused(fusion_of(PROGRAM, CORES, [4, 6]), {0: columns})
    for x, first, second in zip(columns, values[4], values[6], strict=True):
        before = (-x + x * x) + np.exp(x)
        assert first.tobytes() == before.tobytes()
        assert second.tobytes() == (((abs(x) + before) + abs(x)) - x).tobytes()


@pytest.mark.parametrize(
    "program",
    [
        [shaped("Neg", [0], 1), shaped("AddN", [1, 0], 2)],  # 0 may have another shape
        [instr("Neg", [0], 1), instr("AddN", [1, 1], 2)],
        [shaped("Neg", [0], 1, tf.bfloat16), shaped("AddN", [1] * 3, 2, tf.bfloat16)],
        [shaped("Neg", [0], 1), shaped("AddN", [1], 2)],
    ],
)
def test_other_sums_stay(program):
    assert by_twos([(each, 0) for each in program]) == [(i, 0) for i in program]
