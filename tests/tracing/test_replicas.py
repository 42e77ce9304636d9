"""What `strategy.run` traces: one computation for all replicas.

Numbers were computed with TensorFlow 2.21, MirroredStrategy on three logical CPUs.
"""

import functools
import operator

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.ops.tpu import REPLICATE

from ..distribute.conftest import local, numbered

ON_READ = tf.VariableSynchronization.ON_READ
SUM, MEAN = tf.VariableAggregation.SUM, tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_REPLICA


@pytest.fixture(params=["host", "lockstep", "pool", "xla"])
def strategy(request):
    with tf.eager_execution():
        if request.param == "host":
            yield tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
            return
        if request.param == "xla":
            pytest.importorskip("jax")
        with tf.config.override(cores=3, executor=request.param):
            yield tf.distribute.TPUStrategy()


def on_xla():
    return bool(tf.config.executor == "xla")


def number():
    return tf.distribute.get_replica_context().replica_id_in_sync_group


def test_a_function_is_called_once_and_traced_as_tensorflow_does(strategy):
    calls = []

    @tf.function
    def step(x):
        calls.append(x)
        return tf.cast(number(), tf.float32) + x

    x = numbered(strategy)
    for _ in range(2):
        assert local(strategy, strategy.run(step, args=(x,))) == [1, 3, 5]
    assert len(calls) == 1
    for given in (2.0, 2.0, 3.0, tf.constant(4.0)):
        assert local(strategy, strategy.run(step, args=(given,)))[0] == float(given)
    assert len(calls) == 4


def test_the_number_of_instructions_does_not_grow_with_the_replicas(eager):
    counts = set()
    for replicas in (2, 7):
        with tf.config.override(cores=replicas):
            strategy = tf.distribute.TPUStrategy()
            with strategy.scope():
                w = tf.Variable([1.0, 2.0])
                optimizer = tf.optimizers.SGD(0.1, momentum=0.5)

            def step(w=w, optimizer=optimizer):
                optimizer.apply_gradients([(w * 2.0, w)])

            program = tf.function(lambda s=strategy, f=step: s.run(f))
            graph = program.get_concrete_function().graph
            (replicated,) = [
                op for op in graph.get_operations() if op.definition is REPLICATE
            ]
            counts.add(len(replicated.blocks[0].operations))
    assert len(counts) == 1


def test_variables_made_in_the_first_call(strategy):
    made = []

    @tf.function
    def step(x):
        if not made:
            made.append(tf.Variable(tf.zeros([2]) + x, aggregation=SUM))
        return made[0].assign_add([x, 1.0])

    x = numbered(strategy)
    assert local(strategy, strategy.run(step, args=(x,))) == [[7, 4]] * 3
    assert local(strategy, strategy.run(step, args=(x,))) == [[13, 7]] * 3
    assert local(strategy, made[0]) == [[13, 7]] * 3


@pytest.mark.parametrize("whole", [True, False], ids=["in a function", "alone"])
def test_arguments_that_differ_in_python(strategy, whole):
    values = strategy.experimental_distribute_values_from_function
    numbers = values(lambda c: {"n": (c.replica_id_in_sync_group, 0.5)})
    words = values(lambda c: "abc"[c.replica_id_in_sync_group])
    rows = values(lambda c: np.ones(c.replica_id_in_sync_group + 1, np.float32))

    def seen(given):
        found = given["n"]["n"][0] * 2 + 1, given["n"]["n"][1]
        return (*found, None if given["w"] is None else len(given["w"]))

    def run(word):
        function = tf.function(seen) if whole else seen
        return strategy.run(function, args=({"n": numbers, "w": word},))

    twice, half, nothing = run(None)
    assert local(strategy, twice) == [1, 3, 5]
    assert {float(x) for x in strategy.experimental_local_results(half)} == {0.5}
    assert nothing is None
    assert set(local(strategy, run(words)[2])) == {1}
    if not on_xla():
        sizes = strategy.run(tf.function(tf.reduce_sum), args=(rows,))
        assert local(strategy, sizes) == [1, 2, 3]


GRADIENTS = {"SUM": [26, 38, 50], "MEAN": [26 / 3, 38 / 3, 50 / 3], None: [26, 38, 50]}


@pytest.mark.parametrize("op", GRADIENTS)
def test_gradients_of_what_replicas_combine(strategy, op):
    @tf.function
    def gradient(x):
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(x)
            if op is None:
                y = context.all_gather(tf.reshape(x * x, [1]), 0) * x
            else:
                y = context.all_reduce(op, x * x) * x
        return tape.gradient(y, x)

    found = strategy.run(gradient, args=(numbered(strategy),))
    np.testing.assert_allclose(local(strategy, found), GRADIENTS[op], rtol=1e-6)


def test_effects_of_each_replica(strategy, capfd):
    seen = []
    draws = []

    def step():
        if not on_xla():
            tf.print("of replica", number())
        tf.py_func(lambda k: seen.append(int(k)), [number()], [])
        return tf.random.uniform([2])

    for _ in range(2):
        draws += local(strategy, strategy.run(tf.function(step)))
    assert sorted(seen) == [0, 0, 1, 1, 2, 2]
    if not on_xla():
        lines = capfd.readouterr().err.splitlines()
        assert sorted(lines) == [f"of replica {k}" for k in (0, 0, 1, 1, 2, 2)]
    assert len({tuple(draw) for draw in draws}) == 6


def test_elements_taken_by_replicas(strategy):
    if on_xla():
        pytest.skip("XLA cannot take elements of a dataset")
    iterator = iter(tf.data.Dataset.range(9))

    @tf.function
    def step(iterator):
        return next(iterator)

    found = [local(strategy, strategy.run(step, args=(iterator,))) for _ in range(3)]
    assert sorted(functools.reduce(operator.iadd, found, [])) == list(range(9))


def test_a_tape_around_the_replicas(strategy):
    @tf.function
    def gradients(x):
        own = strategy.experimental_local_results(x)
        with tf.GradientTape() as tape:
            tape.watch(own)
            squares = strategy.run(lambda x: x * x, args=(x,))
            total = strategy.reduce("SUM", squares, axis=None)
        return tape.gradient(total, own)

    assert [float(g) for g in gradients(numbered(strategy))] == [2, 4, 6]


def test_a_variable_of_no_scope(strategy):
    shared = tf.Variable(1.0)
    add = tf.function(lambda x: shared.assign_add(x))
    reads = strategy.run(tf.function(lambda x: shared * x), args=(numbered(strategy),))
    assert local(strategy, reads) == [1, 2, 3]
    strategy.run(add, args=(numbered(strategy),))
    assert float(shared) == 7.0


def test_a_loop_over_a_distributed_dataset_runs_each_round(strategy):
    total = tf.Variable(0.0)
    batches = tf.data.Dataset.from_tensor_slices(np.arange(12, dtype=np.float32))
    dataset = strategy.experimental_distribute_dataset(batches.batch(6))

    @tf.function
    def train(rounds):
        def step(x):
            return tf.reduce_sum(x)

        for x in rounds:
            sums = strategy.run(step, (x,))
            total.assign_add(strategy.reduce("SUM", sums, axis=None))

    train(dataset)
    assert float(total) == 66
    train(iter(dataset))
    assert float(total) == 132
