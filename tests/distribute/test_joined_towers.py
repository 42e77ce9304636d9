"""Operations that all towers have in common: what is joined, and the bits."""

import contextlib
import functools

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.towers import joined
from tpuref.engine.program import Instr, Program

from .conftest import LocalResolver, numbers, summed_on_read

CORES = 8
VECTOR = TensorSpec(tf.TensorShape([3]), tf.float32)


def instr(op, inputs, output, replica, **attrs):
    site = CallSite("train.py", 7, "step")
    given = tuple(inputs), (output,), attrs, (VECTOR,), 0, site, (), replica
    return Instr(op, f"{op}_{output}", *given)


def of_two(*instrs, parameters=(0, 1, 9), results=(), divides=False):
    """Join the instructions of two towers."""
    program = Program("towers", parameters, instrs, results)
    return joined(program, 2, [VECTOR] * len(parameters), divides)[0]


def test_what_differs_remains_and_the_rest_is_joined():
    drawn = {"seed": (1, 2), "shape": (3,), "dtype": "float32"}
    towers = [
        (
            instr("Neg", [9], 10 * r + 20, r),
            instr("Cast", [9], 10 * r + 21, r, dtype="ab"[r]),
            instr("RandomStandardNormal", [], 10 * r + 22, r, **drawn),
            instr("Abs", [9], 10 * r + 23, r),
        )
        for r in (0, 1)
    ]
    assert [(i.op, i.replica) for i in of_two(*towers[0], *towers[1]).instrs] == [
        ("Neg", None),
        ("Cast", 0),
        ("Cast", 1),
        ("RandomStandardNormal", 0),
        ("RandomStandardNormal", 1),
        ("Abs", None),
    ]


@pytest.mark.parametrize("other", [2.0, 3.0, -0.0, 0.0])
def test_constants_are_one_if_they_have_equal_bits(other):
    towers = [
        (
            instr("Const", [], 3 + r, r, value=np.full(3, value, "f")),
            instr("Neg", [3 + r], 5 + r, r),
        )
        for r, value in enumerate((0.0 if other == 0 else 2.0, other))
    ]
    *constants, negated = of_two(*towers[0], *towers[1]).instrs
    same = str(other) in ("2.0", "0.0")
    assert [i.replica for i in constants] == ([None] if same else [0, 1])
    assert {i.outputs for i in constants} == {negated.inputs}


def read(handle, output, replica):
    attrs = {"handle": handle, "dtype": "float32", "shape": (3,)}
    return instr("ReadVariableOp", [], output, replica, **attrs)


def test_variables_may_differ_and_other_attributes_may_not():
    casts = [instr("Cast", [3 + r], 5 + r, r, dtype=t) for r, t in enumerate("ab")]
    program = of_two(*[read(f"w{r}", 3 + r, r) for r in (0, 1)], *casts)
    assert [(i.op, i.replica) for i in program.instrs] == [
        ("ReadVariableOp", None),
        ("Cast", 0),
        ("Cast", 1),
    ]
    assert program.components == (("w0", "w1"),)


def test_a_copy_leaves_the_values_of_others_alone():
    negated = [instr("Neg", [9], 3 + r, r) for r in (0, 1)]
    copy = instr("TowerCopy", [3], 3, None, source=0, targets=(1,))
    program = of_two(*negated, copy, instr("Mul", [3, 4], 5, 1))
    assert [(i.op, i.replica, i.inputs, i.outputs) for i in program.instrs] == [
        ("Neg", None, (9,), (10,)),
        ("Identity", 0, (10,), (11,)),
        ("TowerCopy", None, (11,), (11,)),
        ("Mul", 1, (11, 10), (5,)),
    ]


def step(strategy, apart):
    """A step of training, traced once or for each replica: within a tape."""
    start = np.random.default_rng(4).normal(size=(5, 4)).astype("f")
    with strategy.scope():
        w, b = tf.Variable(start, name="w"), tf.Variable(np.zeros(4, "f"), name="b")
        seen = summed_on_read("seen", 0.0)
        optimizer = tf.optimizers.SGD(0.1, momentum=0.9)

    def step_fn(x):
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        with tf.GradientTape() as tape:
            out = tf.nn.relu(tf.matmul(x, w) + b)
            loss = tf.reduce_mean(out * out) * 0.3
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        seen.assign_add(tf.cast(tf.size(x), tf.float32) * loss)
        scaled = x * tf.cast(replica + 1, tf.float32)
        chosen = tf.cond(loss > 0.5, lambda: loss, lambda: loss * 2.0)
        return loss, tf.argmax(out, axis=1), scaled, chosen

    @tf.function
    def run(x):
        with tf.GradientTape() if apart else contextlib.nullcontext():
            return strategy.run(step_fn, args=(x,))

    def values(context):
        number = context.replica_id_in_sync_group
        return np.random.default_rng(number).normal(size=(6, 5)).astype("f")

    x = strategy.experimental_distribute_values_from_function(values)
    parts = [part for _ in range(3) for part in run(x)]
    owns = [own for part in parts for own in strategy.experimental_local_results(part)]
    return [*[own.numpy() for own in owns], w.numpy(), b.numpy(), seen.numpy()]


def results(apart, **settings):
    with (
        tf.config.override(cores=CORES, timeout=30.0, **settings),
        tf.eager_execution(),
    ):
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        return [x.tobytes() for x in step(tf.distribute.TPUStrategy(resolver), apart)]


@functools.cache
def expected():
    return results(False, executor="lockstep")


@pytest.mark.parametrize("processes", [None, 1, 2, 3, "cores"])
def test_the_bits_are_those_of_replicas_traced_once(processes):
    executor = "pool" if processes else "lockstep"
    assert results(True, executor=executor, processes=processes) == expected()


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
            context = strategy.run_steps_on_dataset(fn, numbers(strategy), 3)
        with tf.Session() as session:
            found = session.run(context.last_step_outputs)
        return [np.asarray(part).tolist() for part in found.values()]


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_value_of_one_tower_that_all_use(number):
    expected = chosen_tower(number, executor="lockstep")
    assert expected[1] == [2.0 * (9 + number) + 1.0, 2.0 * (9 + number) + 5.0]
    for processes in (1, 2, 3):
        assert chosen_tower(number, executor="pool", processes=processes) == expected
