"""Sums that are one exchange: the order they are taken in, and their bits."""

import functools
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.base.spec import TensorSpec
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.pool.process.arrangement import (
    LARGEST_EXCHANGE,
    PlacementPlan,
    arranged,
)

from ..messages import refused

CORES = 8
VECTOR = TensorSpec(tf.TensorShape([3]), tf.float32)


def instr(op, inputs, outputs, spec=VECTOR, core=0, **attrs):
    if op == "CrossReplicaSum":
        attrs.setdefault("groups", ())
    name, specs = f"{op}_{outputs[0]}", (spec,) * len(outputs)
    site = CallSite("train.py", 7, "step")
    return Instr(op, name, tuple(inputs), tuple(outputs), attrs, specs, core, site)


def order(*instrs, cores=1):
    """The outputs of each step, in the order of a process."""
    program = Program("test", (0, 1, 2), instrs, (instrs[-1].outputs[0],))
    taken = arranged(program, PlacementPlan(program, cores))
    return [[one.outputs[0] for one in together] for together in taken]


def test_sums_that_need_nothing_of_each_other_are_taken_together():
    assert order(
        instr("CrossReplicaSum", [0], [3]),
        instr("Neg", [3], [4]),
        instr("Neg", [1], [5]),
        instr("CrossReplicaSum", [5], [6]),
        instr("AddV2", [4, 5], [7]),
        instr("CrossReplicaSum", [2], [8]),
        instr("AddV2", [7, 8], [9]),
    ) == [[5], [3, 6, 8], [4], [7], [9]]


@pytest.mark.parametrize(
    "other",
    [
        instr("CrossReplicaSum", [1], [4], groups=((0, 1), (2, 3))),
        instr("CrossReplicaSum", [1], [4], TensorSpec(VECTOR.shape, tf.float16)),
        instr("CrossReplicaSum", [1], [4], core=1),
    ],
)
def test_unlike_sums_stay_apart(other):
    first, last = (instr("CrossReplicaSum", [k], [5 - k]) for k in (0, 2))
    assert order(first, other, last, cores=2) == [[5], [4], [3]]


def test_sums_of_many_bytes_are_several_exchanges():
    large = TensorSpec(tf.TensorShape([LARGEST_EXCHANGE // 8]), tf.float32)
    sums = [instr("CrossReplicaSum", [k % 3], [3 + k], large) for k in range(5)]
    assert order(*sums) == [[3, 4], [5, 6], [7]]


def test_a_large_sum_moves_before_the_exchange_that_is_open():
    large = TensorSpec(tf.TensorShape([LARGEST_EXCHANGE // 4]), tf.float32)
    taken = [
        instr("CrossReplicaSum", [0], [3]),
        instr("Neg", [1], [4]),
        instr("CrossReplicaSum", [4], [5], large),
        instr("Neg", [5], [6]),
        instr("CrossReplicaSum", [2], [7]),
        instr("AddV2", [3, 6], [8]),
    ]
    assert order(*taken) == [[4], [5], [6], [3, 7], [8]]
    depends = instr("CrossReplicaSum", [8], [9], large)
    assert order(*taken, depends) == [[4], [5], [6], [3, 7], [8], [9]]


SHAPES: tuple[tuple[int, ...], ...] = ((300, 7), (300,), (7, 5), (), (0, 3), (5,))


def step(*values):
    """Two exchanges with others between, and values that are used before and after."""
    whole = [tf.tpu.cross_replica_sum(x * 0.1 * x) for x in values]
    halves = [[0, 2, 4, 6], [7, 5, 3, 1]]
    parts = [
        tf.tpu.cross_replica_sum(x + y, halves)
        for x, y in zip(values, whole, strict=True)
    ]
    half = [tf.tpu.cross_replica_sum(tf.cast(x, tf.bfloat16)) for x in parts[:3]]
    again = [tf.tpu.cross_replica_sum(x) for x in (values[0], values[0])]
    return [*whole, *parts, *(tf.cast(x, tf.float32) for x in half), *again]


def turning(*values):
    """The sums of a turn are what the next one sums."""

    def body(turn, *held):
        slopes = [x * 0.3 - 1.0 for x in held]
        sums = [tf.tpu.cross_replica_sum(slope) for slope in slopes]
        # What lay where the others read it stays until the next turn has read it.
        moved = [a * 0.1 + b for a, b in zip(sums[1:], slopes[1:], strict=True)]
        return [turn + 1, slopes[0], *moved]

    return tf.while_loop(lambda turn, *held: turn < 5, body, [0, *values])[1:]


def read_again(*values):
    """What each core computes by itself is summed, and so is what is made of it."""
    powers = [tf.pow(2.0, tf.sin(x)) for x in values]
    return [tf.tpu.cross_replica_sum(x) for p in powers for x in (p, -p, p * 3.0)]


def results(computation, **settings):
    draw = np.random.default_rng(3)
    settings.update(cores=CORES, timeout=30.0)
    with tf.config.override(**settings), tf.Graph().as_default():
        inputs = [tf.placeholder(tf.float32, shape) for shape in SHAPES]
        out = tf.tpu.replicate(
            lambda scale, *xs: computation(*[x * scale for x in xs]),
            [[tf.constant(10.0**k), *inputs] for k in range(-4, 4)],
        )
        feed = {x: draw.normal(size=x.shape.as_list()) for x in inputs}
        with tf.Session() as session:
            found = [session.run(out, feed) for _ in range(2)]
    return [np.asarray(x).tobytes() for turn in found for row in turn for x in row]


@functools.cache
def expected(computation):
    return results(computation, executor="lockstep")


@pytest.mark.parametrize("computation", [step, turning, read_again])
@pytest.mark.parametrize(
    ("processes", "algorithm"),
    [(1, "auto"), (2, "auto"), (3, "flat"), (3, "direct"), ("cores", "auto")],
)
def test_the_bits_are_those_of_lockstep(computation, processes, algorithm):
    settings = {"processes": processes, "all_reduce": algorithm}
    assert results(computation, executor="pool", **settings) == expected(computation)


@pytest.mark.parametrize("algorithm", ["auto", "ring"])
def test_a_traced_run_names_each_sum_and_gives_the_same_bits(algorithm):
    values = [np.random.default_rng(5).normal(size=s).astype("f") for s in SHAPES]
    rows = [[tf.constant(v * k) for v in values] for k in (1, 3)] * 4
    out = tf.tpu.replicate(turning, rows)

    def run(*options):
        found = session.run(out, None, *options)
        return [np.asarray(x).tobytes() for row in found for x in row]

    settings: dict[str, Any] = {"executor": "pool", "cores": CORES, "timeout": 30.0}
    metadata = tf.RunMetadata()
    with tf.config.override(all_reduce=algorithm, **settings), tf.Session() as session:
        plain = run()
        traced = run(tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
        again = run()
    assert plain == traced == again
    names = [r.operation for r in metadata.core_trace if r.core == 3]
    sums = [name for name in names if "CrossReplicaSum" in name]
    assert len(set(sums)) == len(SHAPES) and len(sums) == 5 * len(SHAPES)


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_a_variable_that_changes_between_two_sums(executor, evaluate):
    def computation(x):
        first = tf.tpu.cross_replica_sum(x)
        with tf.control_dependencies([first]):
            early = v.read_value() * 1.0
        with tf.control_dependencies([early, v.assign(first + x)]):
            second = tf.tpu.cross_replica_sum(x * 2.0)
        with tf.control_dependencies([second]):
            return early, v.read_value() + second

    v = tf.Variable(0.5, name="v")
    out = tf.tpu.replicate(computation, [[1.0], [1.0], [1.0]])
    with tf.config.override(executor=executor, cores=3, timeout=30.0):
        assert evaluate(out) == [(0.5, 10.0)] * 3
        assert evaluate(out) == [(4.0, 10.0)] * 3


def test_a_missing_replica_is_blamed_on_the_first_sum():
    def sums(x):
        return [tf.tpu.cross_replica_sum(x * k, name=f"total_{k}") for k in (1, 2)]

    def computation(x):
        return tf.cond(x > 0.0, lambda: sums(x), lambda: [x, x])

    out = tf.tpu.replicate(computation, [[1.0], [-1.0], [1.0]])
    words, errors = ["replicas [0, 2] wait for [1]", "test_exchange.py"], []
    for executor in ("lockstep", "pool"):
        settings = tf.config.override(executor=executor, cores=3, timeout=30.0)
        with settings, tf.Session() as session:
            invalid = tf.errors.InvalidArgumentError
            errors.append(refused(invalid, words, session.run, out))
    assert str(errors[0]) == str(errors[1])
    assert errors[0].op.name == errors[1].op.name == "cond/true/total_1"


def test_a_process_with_one_core_chooses_as_the_others():
    """Of 7,000 B, one vector fits into a staging area, and two do not."""
    topology = tf.contrib.tpu.Topology.for_cores(CORES)
    cores = topology.device_coordinates.reshape(-1, 3)
    out = tf.tpu.replicate(
        lambda x: tf.tpu.cross_replica_sum(tf.fill([3500], x)),
        [[tf.constant(float(k), tf.float16)] for k in range(5)],
        device_assignment=tf.contrib.tpu.DeviceAssignment(
            topology, cores[np.array([[2], [4], [6], [3], [1]])]
        ),
    )
    settings = {"executor": "pool", "cores": CORES, "processes": 3, "timeout": 30.0}
    with tf.config.override(**settings), tf.Session() as session:
        found = session.run(out)
    assert [x.tolist() for (x,) in found] == [[10.0] * 3500] * 5
