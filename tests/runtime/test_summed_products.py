"""Sums of products that are not written to memory, with the bits of the products."""

import functools
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.program import Program
from tpuref.engine.runtime.pool.process import summed_products

from .programs import fused, fusion_of, instr

INNER, ROWS, COLUMNS = 3, 50, 64


def shaped(op, inputs, output, *shape, **attrs):
    return instr(op, inputs, output, shape=shape, **attrs)


def is_taken(rows=ROWS, results=(4,), readers=(), moves=(), joined=False, **turned):
    """Whether a sum takes the product of its input."""
    left = shaped("Neg", [0], 1, INNER, rows)
    right = shaped("Exp", [0], 2, INNER, COLUMNS)
    attrs = {"transpose_a": True, "transpose_b": False, **turned}
    product = shaped("MatMul", [1, 2], 3, rows, COLUMNS, **attrs)
    total = shaped("CrossReplicaSum", [3], 4, rows, COLUMNS, groups=())
    instrs = (left, right, product, total, *readers)
    order = [instrs] if joined else [(each,) for each in instrs]
    program = Program("test", (0,), instrs, results)
    summed = summed_products.summed_products(program, order, lambda instr: moves)
    assert summed in ({}, {id(total): product})
    return bool(summed)


def test_which_sums_take_products():
    assert is_taken()
    assert not is_taken(rows=2 * INNER)
    assert not is_taken(results=(4, 3))
    assert not is_taken(readers=(shaped("Neg", [3], 5, ROWS, COLUMNS),))
    assert not is_taken(moves=(1,))
    assert not is_taken(joined=True)
    assert not is_taken(transpose_a=False)
    assert not is_taken(transpose_b=True)


def test_which_sums_the_wait_of_the_next_one_covers():
    factors = [(1, 2), (1, 3), (4, 2), (1, 2)]  # the third reads the first sum
    sums = [instr("CrossReplicaSum", [9], 4 + k, groups=()) for k in range(4)]
    products = {
        id(total): instr("MatMul", inputs, 9)
        for total, inputs in zip(sums, factors, strict=True)
    }
    order = [(each,) for each in sums]
    assert summed_products.covered_sums(order, products) == {id(sums[0]), id(sums[2])}
    order.insert(1, (instr("Neg", [1], 8),))
    assert summed_products.covered_sums(order, products) == {id(sums[1]), id(sums[2])}


def gradients(x, y):
    """Sums of products over all replicas, and over halves of them; read again."""
    halves = [[0, 2, 4, 6], [7, 5, 3, 1]]
    sums = []
    for k, groups in enumerate((None, halves, None)):
        one = tf.matmul(x * (k + 1.0), y, transpose_a=True)
        sums.append(tf.tpu.cross_replica_sum(one, groups))
        y *= 1.5 + tf.reduce_sum(sums[-1]) * 1e-3
    return sums


def turning(x, y):
    """A sum of products in each turn of a loop."""

    def body(turn, x, y):
        total = tf.tpu.cross_replica_sum(tf.matmul(x, y, transpose_a=True))
        return turn + 1, x * 0.5, y + tf.reduce_mean(total)

    return tf.while_loop(lambda turn, *held: turn < 4, body, [0, x, y])[1:]


def in_a_row(x, y):
    """Sums of products one after the other: of sums, and of halves of the replicas."""

    def total(a, b, groups=None):
        return tf.tpu.cross_replica_sum(tf.matmul(a, b, transpose_a=True), groups)

    narrow, wide = x[:, :210], tf.concat([y, y * 2.0], 1)
    halves = [[0, 2, 4, 6], [7, 5, 3, 1]]
    first, second, half = total(narrow, y), total(narrow, wide), total(x, y, halves)
    of_sums = total(first, second)
    return [first, second, half, of_sums, total(y, x), total(x, wide), total(x, y)]


def results(computation, *options, **settings):
    draw = np.random.default_rng(1)
    data = draw.standard_normal((8, 4, 300 + 320)).astype(np.float32)
    settings = {"cores": 8, "timeout": 30.0, **settings}
    with tf.config.override(**settings), tf.Graph().as_default():
        rows = [list(map(tf.constant, np.split(each, [300], 1))) for each in data]
        out = tf.tpu.replicate(computation, rows)
        with tf.Session() as session:
            found = [session.run(out, None, *options) for _ in range(2)]
    return [np.asarray(x).tobytes() for turn in found for row in turn for x in row]


@functools.cache
def expected(computation):
    return results(computation, executor="lockstep")


@pytest.mark.parametrize("computation", [gradients, turning, in_a_row])
@pytest.mark.parametrize(
    ("processes", "algorithm"),
    [(1, "auto"), (2, "auto"), (3, "direct"), (3, "flat"), ("cores", "auto")],
)
def test_the_bits_are_those_of_lockstep(computation, processes, algorithm):
    settings = {"processes": processes, "all_reduce": algorithm}
    assert results(computation, executor="pool", **settings) == expected(computation)


def test_a_traced_run_has_the_products_and_the_sums():
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    found = results(gradients, options, metadata, executor="pool", processes=2)
    assert found == expected(gradients)
    names = [record.operation for record in metadata.core_trace if record.core == 3]
    for kind in ("MatMul", "CrossReplicaSum"):
        assert len([name for name in names if kind in name]) == 3


def test_a_replica_that_takes_no_part_is_named():
    def computation(x, y):
        def total():
            one = tf.matmul(x, y, transpose_a=True)
            return tf.tpu.cross_replica_sum(one, name="total")

        return tf.cond(tf.reduce_sum(x) > 0.0, total, lambda: tf.zeros([300, 320]))

    settings: dict[str, Any] = {"executor": "pool", "processes": 2}
    with pytest.raises(tf.errors.InvalidArgumentError, match="total") as raised:
        results(computation, **settings)
    assert "wait for" in str(raised.value)
    assert "test_summed_products.py" in str(raised.value)


def added(count=3, rows=ROWS, total="AddN", **turned):
    """The sum of some products of matrices with one set of left ones."""
    attrs = {"transpose_a": True, "transpose_b": False, **turned}
    instrs = [shaped("Neg", [0], 2, INNER, rows)]
    for k in range(count):
        instrs += [
            shaped("Exp" if k % 2 else "Abs", [1], 3 + k, INNER, COLUMNS),
            shaped("MatMul", [2, 3 + k], 10 + k, rows, COLUMNS, **attrs),
        ]
    return [*instrs, shaped(total, [*range(10, 10 + count)], 20, rows, COLUMNS)]


def test_the_products_of_a_sum_are_not_written():
    instrs = added()
    joined = summed_products.in_one([(each, k) for k, each in enumerate(instrs)], [20])
    assert [(i.op, k) for i, k in joined] == [
        *(("Neg", 0), ("Abs", 1), ("Exp", 3), ("Abs", 5), ("AddN", 7))
    ]
    last = joined[-1][0]
    assert (last.inputs, last.outputs) == ((2, 2, 2, 3, 4, 5), (20,))
    draw = np.random.default_rng(1)
    x, y = (draw.standard_normal((2, INNER, n), np.float32) for n in (ROWS, COLUMNS))
    values = fused(fusion_of(instrs, 2, [20]), {0: [*x], 1: [*y]})
    for core in range(2):
        rights = [abs(y[core]), np.exp(y[core]), abs(y[core])]
        first, second, third = (-x[core].T @ right for right in rights)
        assert values[20][core].tobytes() == (first + second + third).tobytes()


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (added(), [20, 11]),
        (added(count=1), [20]),
        (added(rows=2 * INNER), [20]),
        (added(transpose_a=False), [20]),
        (added(total="Maximum", count=2), [20]),
        ([*added(), shaped("Neg", [12], 21, ROWS, COLUMNS)], [20, 21]),
        ([*added()[:-1], shaped("AddN", [10, 11, 11], 20, ROWS, COLUMNS)], [20]),
    ],
)
def test_other_products_are_written(program, wanted):
    numbered = [(each, 0) for each in program]
    assert summed_products.in_one(numbered, wanted) == numbered
