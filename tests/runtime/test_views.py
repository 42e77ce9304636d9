"""Parts of arrays that a fusion reads where they lie: the bits of copies."""

import numpy as np
import pytest

from tpuref.engine.runtime.pool.columns import Stacked

from .programs import fused, fusion_of, instr, one_by_one, require_same

CORES = 3
SHAPES = {30: [6, 2, 8], 31: [8, 12], 32: [2, 48], 33: [4, 3, 8]}
KNOWN = {slot: np.array(shape, np.int32) for slot, shape in SHAPES.items()}
MOVING = "Transpose", "Reshape"
MATRIX = {"transpose_a": False, "transpose_b": True}


def random_program(draw):
    """Operations that move, combine and reduce arrays of 96 numbers, and results."""
    shapes, program = {0: (6, 16), 1: (8, 12)}, []
    for slot in range(2, 26):
        x = int(draw.choice([s for s in shapes if len(shapes[s]) > 1][-5:]))
        alike = [s for s in shapes if shapes[s] == shapes[x]]
        op = str(draw.choice([*MOVING, "Neg", "AddV2", "Mean", "MatMul", "last axis"]))
        inputs, attrs, shape = [x], {}, shapes[x]
        if op == "AddV2":
            inputs = [x, int(draw.choice(alike))]
        elif op == "Transpose":
            perm = tuple(map(int, draw.permutation(len(shape))))
            attrs, shape = {"perm": perm}, tuple(shape[axis] for axis in perm)
        elif op == "Reshape":
            to = int(draw.choice([*SHAPES]))
            inputs, shape = [x, to], tuple(SHAPES[to])
        elif op == "Mean":  # of columns or rows, repeated
            to, axis = draw.choice([*SHAPES]), int(draw.integers(len(shape)))
            if tuple(SHAPES[to]) != shape:
                continue
            mean = {"axis": axis, "keepdims": True}
            program.append(instr(op, [x], slot + 50, **mean))
            op, inputs = "BroadcastTo", [slot + 50, int(to)]
        elif op == "last axis":
            op = str(draw.choice(["Softmax", "Tanh", "Square"]))
            attrs = {"axis": -1} if op == "Softmax" else {}
        elif op == "MatMul":
            program.append(instr(op, [x, x], slot, **MATRIX))
            continue  # nothing else reads it
        shapes[slot] = shape
        program.append(instr(op, inputs, slot, **attrs))
    products = [each.outputs[0] for each in program if each.op == "MatMul"]
    return program, [*products, *map(int, draw.choice([*shapes][2:], 3))]


def columns_of(draw):
    return {
        slot: Stacked(draw.standard_normal((CORES, *shape), np.float32))
        for slot, shape in enumerate([(6, 16), (8, 12)])
    }


def require_bits(program, wanted, known, draw):
    """Require in three runs the bits of each core by itself; return the fusion."""
    fusion, runs = fusion_of(program, CORES, wanted, known), []
    for _ in range(3):
        columns = columns_of(draw)
        values = fused(fusion, columns)
        runs.append((values, one_by_one(program, CORES, columns, known)))
    for values, expected in runs:  # later runs must not overwrite them
        require_same(values, expected, wanted)
    return fusion


@pytest.mark.parametrize("seed", range(40))
def test_results_are_those_of_each_core(seed):
    draw = np.random.default_rng(seed)
    program, wanted = random_program(draw)
    require_bits(program, wanted, KNOWN, draw)


@pytest.mark.parametrize(
    ("reader", "calls"),
    [
        (instr("Square", [4], 5), 2),
        (instr("MatMul", [4, 4], 5, **MATRIX), 2),
        (instr("Softmax", [4], 5, axis=-1), 3),  # it is computed along contiguous rows
    ],
)
def test_only_some_readers_take_what_is_not_contiguous(reader, calls):
    program = [
        instr("Neg", [0], 2),
        instr("Reshape", [2, 30], 3),
        instr("Transpose", [3], 4, perm=(1, 0, 2)),
        reader,
    ]
    fusion = fusion_of(program, CORES, [5], KNOWN)
    columns = columns_of(np.random.default_rng(1))
    expected = one_by_one(program, CORES, columns, KNOWN)
    assert np.array_equal(fused(fusion, columns)[5], expected[5])
    (plan,) = fusion._plans.values()
    assert plan is not None and len(plan._calls) == calls


@pytest.mark.parametrize(
    ("wanted", "calls"),
    [([7], 4), ([6], 4), ([6, 7], 4), ([5, 7], 4), ([4, 6], 5), ([4, 5, 7], 6)],
)
def test_products_are_written_where_their_reader_moves_them(wanted, calls):
    known = {30: KNOWN[30], 34: np.array([6, 12], np.int32)}
    program = [
        instr("Reshape", [0, 30], 2),
        instr("Transpose", [2], 3, perm=(1, 0, 2)),
        instr("MatMul", [3, 3], 4, **MATRIX),
        instr("Transpose", [4], 5, perm=(1, 0, 2)),
        instr("Reshape", [5, 34], 6),
        instr("Square", [6], 7),
    ]
    fusion = require_bits(program, wanted, known, np.random.default_rng(2))
    (plan,) = fusion._plans.values()
    assert plan is not None and len(plan._calls) == calls
