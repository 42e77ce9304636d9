"""Variables: they stay on the device, and the host reads them."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.graph.eager import STATE

pytest.importorskip("jax", reason="JAX is not installed")

CORES = 3


def counting(change):
    w = tf.get_variable("w", initializer=np.float32([1, 2]))
    inputs = [[np.float32(k)] for k in range(CORES)]
    return w, tf.tpu.replicate(lambda x: tf.assign_add(w, change(x)), inputs)


def held(session, handle="w"):
    return session._executor.state.held(handle)


def test_a_variable_stays_on_the_device_until_the_host_reads_it(session):
    w, step = counting(lambda x: tf.tpu.cross_replica_sum([x, 1.0]))
    session.run(w.initializer)
    assert isinstance(held(session), np.ndarray)
    session.run(step)
    on_device = held(session)
    before = on_device.array
    assert not isinstance(on_device, np.ndarray)
    session.run(step)
    assert held(session) is on_device
    assert before.is_deleted()  # its memory was taken for the new value
    kept = session.run(w)
    session.run(step)
    session.run(step)
    assert kept.tolist() == [7, 8]  # what the host has does not change
    assert session.run(w).tolist() == [13, 14]


def test_a_run_that_fails_leaves_the_variables(session):
    w = tf.get_variable("w", initializer=np.float32([1, 2]))
    n = tf.placeholder(tf.int32, [])

    def computation(x):
        return tf.assign_add(w, [x, x]), 7 // n

    step = tf.tpu.replicate(computation, [[1.0], [1.0]])
    session.run(w.initializer)
    session.run(step, {n: 1})
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        session.run(step, {n: 0})
    assert session.run(w).tolist() == [2, 3]
    session.run(step, {n: 2})
    assert session.run(w).tolist() == [3, 4]


def test_variables_that_got_one_value_change_apart(session):
    a, b = (tf.get_variable(n, initializer=np.zeros(3, np.float32)) for n in "ab")

    def same(x):
        total = tf.tpu.cross_replica_sum(x) + a
        return tf.assign(a, total), tf.assign(b, total)

    together = tf.tpu.replicate(same, [[np.ones(3, np.float32)]] * 2)
    moved = tf.tpu.replicate(lambda: tf.assign(b, a.read_value()), [[]] * 2)
    apart = tf.tpu.replicate(lambda: tf.assign_add(a, [1.0, 1.0, 1.0]), [[]] * 2)
    session.run(tf.global_variables_initializer())
    session.run([together])
    session.run([apart])
    assert session.run([a[0], b[0]]) == [3, 2]
    session.run([moved])
    session.run([apart])
    session.run([apart])
    assert session.run([a[0], b[0]]) == [5, 3]


def test_replicas_that_disagree_are_an_error_if_asked_for():
    settings = {"executor": "xla", "check_replicas": True}
    with tf.config.override(**settings), tf.Session() as session:
        w, step = counting(lambda x: [x, x])
        session.run(w.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="different values"):
            session.run(step)
        assert session.run(w).tolist() == [1, 2]


def test_a_variable_gets_its_first_value_from_a_replica(agree):
    def build():
        w = tf.Variable(0.0, name="w", collections=[])
        return [
            tf.tpu.replicate(lambda x: tf.assign(w, x), [[3.0], [4.0]]),
            tf.is_variable_initialized(w),
        ], None

    agree(build, runs=2)


def test_reading_what_has_no_value_is_an_error(session):
    w = tf.get_variable("w", initializer=1.0)
    outputs = tf.tpu.replicate(lambda x: x + w, [[3.0], [4.0]])
    with pytest.raises(tf.errors.FailedPreconditionError, match="no value yet"):
        session.run(outputs)


@pytest.mark.parametrize("make", [tf.train.AdamOptimizer, tf.train.MomentumOptimizer])
def test_training_reaches_the_same_weights(agree, make):
    def build():
        draw = np.random.default_rng(0)
        rows = [draw.standard_normal([8, 5]).astype(np.float32) for _ in range(CORES)]
        labels = [draw.integers(0, 3, 8).astype(np.int32) for _ in range(CORES)]
        weights = draw.standard_normal([5, 3]).astype(np.float32)
        w = tf.get_variable("w", initializer=weights)
        b = tf.get_variable("b", initializer=np.zeros(3, np.float32))
        more = {"momentum": 0.9} if make is tf.train.MomentumOptimizer else {}
        optimizer = tf.tpu.CrossShardOptimizer(make(0.1, **more))

        def computation(x, y):
            logits = tf.matmul(x, w) + b
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            )
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(loss)

        inputs = [list(pair) for pair in zip(rows, labels, strict=True)]
        return tf.tpu.replicate(computation, inputs), None

    losses = agree(build, runs=20)[:-1]
    assert losses[-1][0][0] < losses[0][0][0]


def test_a_program_is_compiled_once_for_each_shape(session, monkeypatch):
    from tpuref.engine.runtime.xla import executor

    made, start = [], executor.Compiled.__init__

    def counted(self, signature):
        made.append(signature)
        start(self, signature)

    monkeypatch.setattr(executor.Compiled, "__init__", counted)
    x = tf.placeholder(tf.float32, [None])
    outputs = tf.tpu.replicate(lambda a: a * 2, [[x], [x]])
    for size in (3, 3, 5, 3, 5):
        assert session.run(outputs, {x: np.ones(size)})[1][0].tolist() == [2] * size
    assert len(made) == 2


def test_only_the_first_run_traces_and_compiles(session, monkeypatch):
    import jax

    from tpuref.engine.runtime.xla.lowering import Lowering

    done, block = [], Lowering.block

    def noted(self, program, inputs):
        done.append("lowered")
        return block(self, program, inputs)

    monkeypatch.setattr(Lowering, "block", noted)
    w = tf.Variable(np.ones(4, np.float32))

    def computation(x):
        with tf.control_dependencies([w.assign_add(tf.tpu.cross_replica_sum(x))]):
            return w * x

    rows = [[tf.constant(np.full(4, n, np.float32))] for n in range(3)]
    outputs = tf.tpu.replicate(computation, rows)
    session.run(tf.global_variables_initializer())
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **facts: done.append(event)
    )
    try:
        results, first = [session.run(outputs)[2][0]], len(done)
        results += [session.run(outputs)[2][0] for _ in range(3)]
    finally:
        jax.monitoring.clear_event_listeners()
    assert done.count("lowered") == 1 < first == len(done)
    assert [result.tolist() for result in results] == [
        [2 * n] * 4 for n in (4, 7, 10, 13)
    ]


def test_numbers_of_64_bits_stay_and_the_user_s_jax_keeps_its_settings(agree):
    import jax.numpy as jnp

    def build():
        x = tf.constant(np.array([1 + 1e-15, 2], np.float64))
        n = tf.constant(np.array([2**62 + 1, 3], np.int64))
        return tf.tpu.replicate(lambda x, n: (x * x, n + n // 3), [[x, n]] * 2), None

    got = agree(build, runs=1)[0]
    assert got[0][0].dtype == np.float64
    assert jnp.arange(3).dtype == np.int32


@pytest.fixture
def replicas():
    tf.enable_v2_behavior()
    with tf.config.override(executor="xla", cores=CORES):
        tf.tpu.experimental.initialize_tpu_system()
        yield tf.distribute.TPUStrategy()


def components(strategy, variable):
    parts = strategy.experimental_local_results(variable)
    return [STATE.held(part.handle) for part in parts]


def test_equal_components_are_one_array_on_the_device(replicas):
    with replicas.scope():
        v = tf.Variable([1.0, 2.0])

    def step():
        context = tf.distribute.get_replica_context()
        own = tf.cast(context.replica_id_in_sync_group, tf.float32)
        v.assign_add(context.all_reduce("SUM", tf.fill([2], own)))

    whole = tf.function(lambda: replicas.run(step))
    whole()
    first, *others = components(replicas, v)
    assert all(other is first for other in others)
    before = first.array
    whole()
    assert components(replicas, v) == [first] * CORES and before.is_deleted()
    assert v.numpy().tolist() == [7.0, 8.0]
    parts = replicas.experimental_local_results(v)
    parts[1].assign([0.0, 0.0])  # the others still hold one array, which a run donates
    for turn in (1, 2):
        whole()
        found = [part.numpy().tolist() for part in parts]
        kept = [7.0 + 3 * turn, 8.0 + 3 * turn]
        assert found == [kept, [3.0 * turn] * 2, kept]
    v.assign([1.0, 1.0])
    whole()
    assert [part.numpy().tolist() for part in parts] == [[4.0, 4.0]] * CORES
    first, *others = components(replicas, v)
    assert all(other is first for other in others)


def test_components_that_replicas_make_different(replicas):
    with replicas.scope():
        v = tf.Variable(
            1.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    def step():
        context = tf.distribute.get_replica_context()
        v.assign_add(tf.cast(context.replica_id_in_sync_group, tf.float32))

    whole = tf.function(lambda: replicas.run(step))
    for turn in (1, 2):
        whole()
        parts = replicas.experimental_local_results(v)
        assert [float(part) for part in parts] == [1.0 + turn * k for k in range(CORES)]


def test_a_variable_moves_from_executor_to_executor():
    w, step = counting(lambda x: tf.tpu.cross_replica_sum([x, 1.0]))
    large = tf.get_variable("large", initializer=np.ones(5_000, np.float32))
    grow = tf.tpu.replicate(lambda: large.assign_add(large.read_value()), [[]] * CORES)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for executor in ("pool", "xla", "pool", "lockstep", "xla"):
            with tf.config.override(executor=executor, cores=CORES):
                session.run(tf.tpu.initialize_system())
                session.run([step, grow])
        assert session.run(w).tolist() == [1 + 5 * 3, 2 + 5 * 3]
        np.testing.assert_array_equal(session.run(large), np.full(5_000, 32.0))
        session.run(tf.tpu.shutdown_system())
