"""Sums of products that are not written to memory, with the bits of the products."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.program import Program
from tpuref.engine.runtime.pool.process.fusion import Fusion
from tpuref.engine.runtime.pool.process.summed_products import (
    over_operands,
    over_replicas,
)

from .programs import instr

CORES, INNER, ROWS, COLUMNS = 5, 3, 50, 64


def shaped(op, inputs, output, *shape, **attrs):
    spec = tf.TensorSpec(shape, tf.float32)
    return replace(instr(op, inputs, output, **attrs), specs=(spec,))


def product(inputs, output, **attrs):
    turned = {"transpose_a": True, **attrs}
    return shaped("MatMul", inputs, output, ROWS, COLUMNS, **turned)


X, Y = (shaped("Neg", [k], 2 + k, INNER, (ROWS, COLUMNS)[k]) for k in (0, 1))
PRODUCTS = [X, Y, product([2, 3], 4), product([0, 3], 5), product([2, 1], 6)]
TOTAL = shaped("AddN", [4, 5, 6], 7, ROWS, COLUMNS)


def taken(instrs, wanted=(7,)):
    return [i.op for i, _ in over_operands([(i, 0) for i in instrs], wanted)]


def test_the_products_of_a_sum_are_left_out():
    assert taken([*PRODUCTS, TOTAL]) == ["Neg", "Neg", "AddN"]
    for others in (
        [*PRODUCTS, shaped("AddN", [4, 5, 0], 7, ROWS, COLUMNS)],
        [*PRODUCTS, shaped("AddN", [4, 5, 5], 7, ROWS, COLUMNS)],
        [*PRODUCTS, TOTAL, shaped("Neg", [4], 8, ROWS, COLUMNS)],
        [*PRODUCTS[:4], product([2, 1], 6, transpose_b=True), TOTAL],
        [*PRODUCTS[:4], product([2, 1], 6, transpose_a=False), TOTAL],
    ):
        assert taken(others) == [each.op for each in others]
    assert len(taken([*PRODUCTS, TOTAL], wanted=(7, 6))) == 6


@pytest.mark.parametrize("rows", [ROWS, 2 * INNER])
def test_only_products_larger_than_their_matrices_are_left_out(rows):
    small = [shaped("Neg", [0], 2, INNER, rows), Y]
    both = [
        shaped("MatMul", [2, 3], k, rows, COLUMNS, transpose_a=True) for k in (4, 5)
    ]
    total = shaped("AddN", [4, 5], 7, rows, COLUMNS)
    assert len(taken([*small, *both, total])) == (3 if rows == ROWS else 5)


def test_the_bits_of_a_sum_are_those_of_the_products():
    counter = memoryview(bytearray(8)).cast("Q")
    fusion = Fusion([*PRODUCTS, TOTAL], range(6), CORES, {}, [7], {}, counter)
    draw = np.random.default_rng(0)
    lefts = draw.standard_normal((CORES, INNER, ROWS)).astype(np.float32)
    rights = draw.standard_normal((CORES, INNER, COLUMNS)).astype(np.float32)
    values = [[*lefts], [*rights], *[None] * 6]
    assert fusion.run(values)
    for x, y, found in zip(lefts, rights, values[7], strict=True):
        assert found.tobytes() == (-x.T @ -y + x.T @ -y + -x.T @ y).tobytes()


def test_which_sums_over_replicas_take_products():
    total = replace(TOTAL, op="CrossReplicaSum", inputs=(4,), attrs={"groups": ()})
    program = Program("test", (0, 1), (*PRODUCTS[:3], total), (7,))
    alone = [(each,) for each in program.instrs]
    assert over_replicas(program, alone, lambda instr: ()) == {id(total): PRODUCTS[2]}
    assert not over_replicas(program, alone, lambda instr: instr.inputs)
    assert not over_replicas(program, [program.instrs], lambda instr: ())
    assert not over_replicas(replace(program, results=(4,)), alone, lambda i: ())


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
        one = tf.matmul(x, y, transpose_a=True)
        total = tf.tpu.cross_replica_sum(one)
        return turn + 1, x * 0.5, y + tf.reduce_mean(total)

    return tf.while_loop(lambda turn, *held: turn < 4, body, [0, x, y])[1:]


def results(computation, *options, **settings):
    draw = np.random.default_rng(1)
    shape = (8, 4, 300 + 320)
    data = draw.standard_normal(shape).astype(np.float32)
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


@pytest.mark.parametrize("computation", [gradients, turning])
@pytest.mark.parametrize(
    ("processes", "algorithm"),
    [(1, "auto"), (2, "auto"), (3, "direct"), (3, "flat"), ("cores", "auto")],
)
def test_the_bits_are_those_of_lockstep(computation, processes, algorithm):
    settings = {"processes": processes, "all_reduce": algorithm}
    found = results(computation, executor="pool", **settings)
    assert found == expected(computation)


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
