"""Towers that a process runs abreast: what is paired, and the bits."""

import functools
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.base.spec import TensorSpec
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.process.row_steps import RowSteps
from tpuref.engine.runtime.pool.process.tower_rows import Row, in_rows
from tpuref.engine.runtime.pool.split import Lane

from .programs import LocalResolver

CORES = 8
VECTOR = TensorSpec(tf.TensorShape([3]), tf.float32)


def instr(op, inputs, output, replica, **attrs):
    site = CallSite("train.py", 7, "step")
    given = tuple(inputs), (output,), attrs, (VECTOR,), 0, site, (), replica
    return (Instr(op, f"{op}_{output}", *given),)


def taken(*order, replicas=(0, 1)):
    """The outputs of each step; those of a row in a list."""
    return [
        [one.outputs[0] for one in step.instrs]
        if isinstance(step, Row)
        else step[0].outputs[0]
        for step in in_rows(order, replicas)
    ]


def test_alike_instructions_of_the_towers_here_are_rows():
    towers = [
        instr(op, [r], 10 * r + k, r)
        for r in range(3)
        for k, op in enumerate(["Neg", "Abs", "Tanh"])
    ]
    assert taken(*towers) == [[0, 10], [1, 11], [2, 12]]
    assert taken(*towers, replicas=[1, 2]) == [[10, 20], [11, 21], [12, 22]]


def test_towers_are_paired_as_far_as_they_are_alike():
    first = [instr("Neg", [0], 5, 0), instr("Abs", [5], 6, 0)]
    second = [instr("Neg", [1], 7, 1), instr("Tanh", [7], 8, 1)]
    assert taken(*first, *second) == [[5, 7], 6, 8]
    assert taken(*first, *second[:1]) == [[5, 7], 6]


def test_what_all_take_comes_between():
    total = instr("CrossReplicaSum", [9], 9, None, groups=())
    before, after = ([instr("Neg", [r], k + r, r) for r in (0, 1)] for k in (3, 5))
    assert taken(*before, total, *after) == [[3, 4], 9, [5, 6]]


def test_variables_may_differ_and_other_attributes_may_not():
    attrs = {"dtype": "float32", "shape": (3,)}
    reads = [
        instr("ReadVariableOp", [], 3 + r, r, handle=f"w{r}", **attrs) for r in (0, 1)
    ]
    casts = [instr("Cast", [3 + r], 5 + r, r, dtype=t) for r, t in enumerate("ab")]
    assert taken(*reads, *casts) == [[3, 4], 5, 6]


def test_a_slot_that_towers_share_is_filled_by_one_row():
    own = [instr("Identity", [r], 7, r) for r in (0, 1)]
    other = [instr("Identity", [r], 8, r) for r in (0, 1)]
    assert taken(own[0], other[0], own[1], other[1]) == [[7, 7], [8, 8]]
    assert taken(own[0], other[0], other[1], own[1]) == [7, 8, 8, 7]


def updated(reading, writing=None):
    """Add 1 to a variable of two towers; return what was written and what ran alone.

    The second tower's variable fails to be read or written.
    """
    written: list[Any] = []
    alone: list[Any] = []
    steps: list[Any] = []

    class View:
        def __init__(self, *errors):
            self.errors = errors

        def read(self, handle):
            if self.errors[0]:
                raise self.errors[0]
            return np.ones(3, np.float32)

        def write(self, handle, value):
            if self.errors[1]:
                raise self.errors[1]
            written.append(value.tolist())

    around = SimpleNamespace(
        runs=[SimpleNamespace(variables=[View(None, None), View(reading, writing)])]
    )
    schedule = SimpleNamespace(
        label=lambda *_, **__: SimpleNamespace(number=1),
        append_in_parts=lambda step, *_: steps.append(step),
        take=lambda *_: alone.append("alone"),
        constants=[None] * 9,
        readers={},
    )
    lanes: Any = [Lane(0, 0, 0), Lane(1, 1, 0)]
    single = SimpleNamespace(step=lambda *_: None)
    rows = RowSteps(cast(Any, around), lanes, cast(Any, schedule), cast(Any, single))
    adds = [instr("AssignAdd", [0], 3 + r, r, handle="w")[0] for r in (0, 1)]
    rows.add(Row(tuple(adds)))
    values: list[Any] = [[np.ones(3, np.float32)] * 2 for _ in range(11)]
    steps[0](values)
    return written, alone


def test_an_update_is_taken_again_only_for_what_it_expects():
    assert updated(None) == ([[2.0] * 3] * 2, [])
    for error in (tf.errors.FailedPreconditionError(None, None, "x"), MemoryError()):
        assert updated(error) == ([], ["alone"])
    with pytest.raises(tf.errors.InternalError):
        updated(tf.errors.InternalError(None, None, "x"))
    with pytest.raises(MemoryError):  # the first tower's variable has its new value
        updated(None, MemoryError())


def step(strategy):
    """A step of training whose towers differ here and there."""
    draw = np.random.default_rng(4)
    start = draw.normal(size=(5, 4)).astype("f")
    with strategy.scope():
        w, b = tf.Variable(start, name="w"), tf.Variable(np.zeros(4, "f"), name="b")
        seen = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
        optimizer = tf.optimizers.SGD(0.1, momentum=0.9)

    def step_fn(x):
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        with tf.GradientTape() as tape:
            out = tf.nn.relu(tf.matmul(x, w) + b)
            loss = tf.reduce_mean(out * out) * 0.3
        gradients = tape.gradient(loss, [w, b])
        optimizer.apply_gradients(zip(gradients, [w, b], strict=True))
        seen.assign_add(tf.cast(tf.size(x), tf.float32) * loss)
        scaled = x * tf.cast(replica + 1, tf.float32)
        chosen = tf.cond(loss > 0.5, lambda: loss, lambda: loss * 2.0)
        return loss, tf.argmax(out, axis=1), scaled, chosen

    @tf.function
    def run(x):
        return strategy.run(step_fn, args=(x,))

    def values(context):
        number = context.replica_id_in_sync_group
        return np.random.default_rng(number).normal(size=(6, 5)).astype("f")

    x = strategy.experimental_distribute_values_from_function(values)
    parts = [part for _ in range(3) for part in run(x)]
    owns = [own for part in parts for own in strategy.experimental_local_results(part)]
    found = [own.numpy() for own in owns]
    return [*found, w.numpy(), b.numpy(), seen.numpy()]


def results(**settings):
    with tf.config.override(cores=CORES, timeout=30.0, **settings):
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        return [x.tobytes() for x in step(tf.distribute.TPUStrategy(resolver))]


@functools.cache
def expected():
    return results(executor="lockstep")


@pytest.mark.parametrize("processes", [1, 2, 3, "cores"])
def test_the_bits_are_those_of_lockstep(processes):
    assert results(executor="pool", processes=processes) == expected()


def plain_variable(writers, **settings):
    """Some towers change a variable that no strategy made, and all read it."""
    with tf.config.override(cores=4, **settings), tf.Graph().as_default():
        v = tf.Variable(1.0, name="plain")
        strategy = tf.contrib.distribute.TPUStrategy(LocalResolver(), steps_per_run=1)

        def fn():
            number = tf.get_tower_context().tower_id
            before = v.read_value() * 2.0
            with tf.control_dependencies([before]):
                changed = v.assign_add(10.0 + number) if number in writers else before
            with tf.control_dependencies([changed]):
                return before, changed * 1.0, v.read_value() + 0.5

        with strategy.scope():
            towers = strategy.call_for_each_tower(fn)
        with tf.Session() as session:
            session.run(v.initializer)
            fetched = [strategy.unwrap(each) for each in towers]
            return [session.run(fetched), session.run(fetched), session.run(v)]


@pytest.mark.parametrize("writers", [(0,), (1,), (3,), (0, 1, 2, 3)])
def test_a_variable_that_towers_share(writers):
    """Each tower sees what it wrote itself, and no other's value in the same run."""
    found = [
        plain_variable(writers, executor=executor, processes=processes)
        for executor, processes in (("lockstep", None), ("pool", 1), ("pool", 2))
    ]
    assert found[0] == found[1] == found[2]


def chosen_tower(number, **settings):
    """All towers go on with what one of them has, in a loop on the cores."""
    with tf.config.override(cores=4, **settings), tf.Graph().as_default():
        strategy = tf.contrib.distribute.TPUStrategy(LocalResolver(), steps_per_run=1)
        dataset = tf.data.Dataset.range(12).map(lambda x: tf.cast(x, tf.float32) + 1.0)
        iterator = strategy.distribute_dataset(lambda: dataset).make_one_shot_iterator()

        def tower(x):
            context = tf.get_tower_context()
            own, three = x * 2.0 + tf.constant([1.0, 5.0]), tf.constant(3.0) + 0.0
            chosen, constant = (
                context.merge_call(lambda d, y: d.unwrap(y)[number], each)
                for each in (own, three)
            )
            both = own * chosen + constant
            return own, chosen, both + chosen, tf.reduce_sum(both - own), constant

        def later(own, chosen, constant):
            return own * chosen - chosen, tf.maximum(chosen, own) / constant

        def fn(context, x):
            parts = strategy.call_for_each_tower(tower, x)
            own, chosen, *_, constant = parts
            parts += strategy.call_for_each_tower(later, own, chosen, constant)
            for k, part in enumerate(parts):
                context.set_last_step_output(f"part {k}", part)

        with strategy.scope():
            context = strategy.run_steps_on_dataset(fn, iterator, 3)
        with tf.Session() as session:
            found = session.run(context.last_step_outputs)
        return [np.asarray(part).tolist() for part in found.values()]


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_value_of_one_tower_that_all_use(number):
    expected = chosen_tower(number, executor="lockstep")
    assert expected[1] == [2.0 * (9 + number) + 1.0, 2.0 * (9 + number) + 5.0]
    for processes in (1, 2, 3):
        assert chosen_tower(number, executor="pool", processes=processes) == expected
