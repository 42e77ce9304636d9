"""Values that a late reader computes again: which, and with the same bits."""

import numpy as np
import pytest

from tpuref.engine.runtime.pool.process.recomputation import recomputed

from .programs import fused, fusion_of, instr

CORES, SIZE = 2, 128
HALF, ONE = np.float32(0.5), np.float32([1.0])
CONSTANTS = {1: HALF, 2: ONE}


def shaped(op, inputs, output, size=SIZE):
    attrs = {"transpose_a": False, "transpose_b": False} if op == "MatMul" else {}
    return instr(op, inputs, output, shape=(size, size), **attrs)


def activation(late=("Mul", [5, 6], 9), size=SIZE):
    """Half of x, and 1 + tanh(x); both are read behind a product, as x and tanh(x)."""
    return [
        shaped("Neg", [0], 3, size),
        shaped("Tanh", [3], 4, size),
        shaped("Mul", [3, 1], 5, size),
        shaped("AddV2", [2, 4], 6, size),
        shaped("Mul", [5, 6], 7, size),
        shaped("MatMul", [7, 7], 8, size),
        shaped(*late, size),
        shaped("Mul", [8, 5], 10, size),
        shaped("AddV2", [3, 4], 11, size),
    ]


def passed(program, wanted=(9, 10, 11)):
    numbered = [(each, k) for k, each in enumerate(program)]
    return numbered, recomputed(numbered, CONSTANTS, wanted)


def test_late_readers_share_a_copy():
    _, ordered = passed(activation())
    assert [(i.op, i.inputs, i.outputs[0], n) for i, n in ordered[6:]] == [
        *(("Mul", (3, 1), -1, 2), ("AddV2", (2, 4), -2, 3), ("Mul", (-1, -2), 9, 6)),
        *(("Mul", (8, -1), 10, 7), ("AddV2", (3, 4), 11, 8)),
    ]


def test_the_bits_are_the_same():
    program, wanted = activation(), [8, 9, 10, 11]
    fusion = fusion_of(program, CORES, wanted, CONSTANTS)
    draw = np.random.default_rng(3)
    column = [draw.standard_normal((SIZE, SIZE), np.float32) for _ in range(CORES)]
    for _ in range(2):
        values = fused(fusion, {0: column, 1: [HALF] * CORES, 2: [ONE] * CORES})
        for core, given in enumerate(column):
            x, t = -given, np.tanh(-given)
            half, more = x * HALF, ONE + t
            product = np.matmul(half * more, half * more)
            right = [product, half * more, product * half, x + t]
            for slot, expected in zip(wanted, right, strict=True):
                assert values[slot][core].tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (activation(), (5, 6, 9, 10, 11)),  # they leave the fusion
        (activation(late=("MatMul", [5, 6], 9)), (9, 10, 11)),
        (activation(size=64), (9, 10, 11)),  # they stay in a cache
        (activation()[:-1], (9, 10)),  # x and tanh(x) would be kept for them
        ([i for i in activation() if i.op != "MatMul"], (9, 11)),
    ],
)
def test_other_values_are_kept(program, wanted):
    numbered, ordered = passed(program, wanted)
    assert ordered == numbered
