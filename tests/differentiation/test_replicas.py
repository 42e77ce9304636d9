"""Gradients inside replicated computations and towers."""

import numpy as np
import pytest

import tpuref as tf

from ..training.steps import after

W = np.array([[0.5, -1.0], [2.0, 0.25], [1.5, 1.0]])
DATA = [np.sin(np.arange(12.0) + 5 * k).reshape(4, 3) for k in range(4)]


@pytest.fixture(params=["lockstep", "pool"])
def session(request):
    with tf.config.override(cores=4, executor=request.param), tf.Session() as session:
        yield session


@pytest.mark.parametrize("groups", [None, [[0, 2], [3, 1]]])
def test_a_sum_over_replicas_adds_their_gradients(evaluate, groups):
    w = tf.get_variable("w", initializer=W)

    def computation(x):
        total = tf.tpu.cross_replica_sum(tf.reduce_sum(tf.matmul(x, w) ** 2), groups)
        return tf.gradients(total * total / tf.cast(tf.shape(x)[0], tf.float64), [w, x])

    found = evaluate(tf.tpu.replicate(computation, [[x] for x in DATA]))
    sums = [np.sum((x @ W) ** 2) for x in DATA]
    for replica, (dw, dx) in enumerate(found):
        group = next(g for g in groups or [[0, 1, 2, 3]] if replica in g)
        total = sum(sums[r] for r in group)
        # each replica of the group has total**2 / 4 as its loss
        factor = len(group) * 2 * total / 4
        x = DATA[replica]
        np.testing.assert_allclose(dw, factor * 2 * x.T @ (x @ W), rtol=1e-9)
        np.testing.assert_allclose(dx, factor * 2 * x @ W @ W.T, rtol=1e-9)


def test_rewrite_shard_and_batch_parallel(session):
    def computation(x):
        return tf.gradients(tf.reduce_sum(x**3), x)[0]

    x = np.arange(8.0)
    (one,) = tf.tpu.rewrite(computation, [x])
    (parts,) = tf.tpu.shard(computation, [tf.constant(x)], num_shards=4)
    (batch,) = tf.tpu.batch_parallel(computation, [tf.constant(x)], num_shards=4)
    for found in session.run([one, parts, batch]):
        np.testing.assert_allclose(found, 3 * x**2)


def test_inputs_padded_from_different_sizes(session):
    def computation(x):
        return tf.gradients(tf.reduce_mean(x * x) + tf.reduce_max(x), x)[0]

    inputs = [np.array([1.0, 3.0]), np.array([2.0, 5.0, 4.0])]
    given = [[tf.placeholder(tf.float64, [None])] for _ in range(4)]
    inputs += [np.array([6.0]), np.array([1.0, 1.5, 2.0, 0.5])]
    out = tf.tpu.replicate(computation, given, maximum_shapes=[tf.TensorShape([4])])
    results = session.run(out, {t: x for (t,), x in zip(given, inputs, strict=True)})
    for x, (found,) in zip(inputs, results, strict=True):
        np.testing.assert_allclose(found[: len(x)], 2 * x / len(x) + (x == x.max()))


def test_the_gradient_of_an_operation_runs_on_its_core():
    def computation(x):
        with tf.device(tf.tpu.core(1)):
            y = tf.sin(x, name="forth")
        (dx,) = tf.gradients(tf.exp(y), x)
        operations = tf.get_default_graph().get_operations()
        (cosine,) = (op for op in operations if op.type == "Cos")
        assert cosine.logical_core == 1
        return dx

    inputs = [[0.3], [0.9]]
    with tf.config.override(cores=4, executor="pool"), tf.Session() as session:
        topology = session.run(tf.tpu.initialize_system())
        pairs = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=2)
        out = tf.tpu.replicate(computation, inputs, device_assignment=pairs)
        found = np.ravel(session.run(out))
    points = np.ravel(inputs)
    np.testing.assert_allclose(found, np.exp(np.sin(points)) * np.cos(points), 1e-6)


def test_a_cast_to_bfloat16_and_back(evaluate):
    with tf.tpu.bfloat16_scope():
        w = tf.get_variable("w", [3], tf.bfloat16, tf.constant_initializer(2.0))
    (stored,) = tf.global_variables()

    def computation(x):
        y = tf.cast(tf.reduce_sum(w * tf.cast(x, tf.bfloat16)), tf.float32)
        return tf.gradients(y * y, [stored, x])

    dw, dx = evaluate(tf.tpu.rewrite(computation, [tf.constant([1.0, 2.0, 3.0])]))
    assert dw.dtype == dx.dtype == np.float32
    assert dw.tolist() == [24.0, 48.0, 72.0] and dx.tolist() == [48.0] * 3


def test_an_outside_compilation_is_refused_and_what_is_around_is_not(session):
    def computation(x, stop=lambda y: y):
        y = tf.tpu.outside_compilation(lambda a: a * 2, x)
        return tf.gradients(stop(y) * x * x, x)[0]

    with pytest.raises(NotImplementedError, match="outside_compilation.*E190"):
        tf.tpu.rewrite(computation, [1.0])
    around = tf.tpu.rewrite(lambda x: computation(x, tf.stop_gradient), [3.0])
    assert session.run(around) == (36.0,)


def test_from_outside_of_the_computation_there_is_none():
    x = tf.constant(1.0)
    (y,) = tf.tpu.rewrite(lambda a: a * 2, [x])
    with pytest.raises(LookupError, match=r"TPUReplicate.*test_replicas.py.*E190"):
        tf.gradients(y, x)


def test_an_infeed_queue_is_a_constant(evaluate):
    queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=1)
    w = tf.get_variable("w", initializer=[1.0, 2.0])
    given = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    queue.set_configuration_from_sharded_input_tensors(
        [[tf.constant(x)] for x in given]
    )

    def computation(fed):
        return tf.gradients(tf.reduce_sum(fed * w * w), w)[0]

    out = tf.tpu.replicate(computation, [[]] * 4, infeed_queue=queue)
    fill = queue.generate_enqueue_ops([[tf.constant(x)] for x in given])
    found = evaluate([out, fill])[0]
    assert np.squeeze(found).tolist() == (given * [2.0, 4.0]).tolist()


def tower_number():
    return tf.cast(tf.get_tower_context().tower_id + 1, tf.float32)


@pytest.mark.parametrize("towers", [1, 2, 4])
def test_in_towers_a_sum_adds_their_gradients(towers, strategy_of):
    def fn():
        v = tf.get_variable("v", initializer=2.0)
        total = tf.tpu.cross_replica_sum(v * v * tower_number())
        return tf.gradients(total * tower_number(), v)[0]

    strategy = strategy_of(towers)
    with strategy.scope():
        slopes = strategy.unwrap(strategy.call_for_each_tower(fn))
    found = after(tf.no_op(), slopes)
    numbers = np.arange(1.0, towers + 1)
    np.testing.assert_allclose(found, numbers.sum() * numbers * 2 * 2.0)


def test_from_outside_of_the_towers_each_contribution_has_its_own(strategy_of):
    def fn():
        return tf.tpu.cross_replica_sum(x * x * tower_number()) * tower_number()

    strategy, x = strategy_of(2), tf.constant(3.0)
    with strategy.scope():
        totals = strategy.unwrap(strategy.call_for_each_tower(fn))
    (slope,) = tf.gradients(totals, x)
    assert tf.Session().run(slope) == 54.0  # 3 x**2 * (1 + 2)
