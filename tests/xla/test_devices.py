"""Replicas on several devices of one process."""

import re

import numpy as np
import pytest

import tpuref as tf

from ..distribute.conftest import summed_on_read
from .conftest import MOST_DEVICES, evaluated, replicated, require_bits_of_lockstep

pytest.importorskip("jax", reason="JAX is not installed")

from tpuref.engine.runtime.xla.placement import placement

REPLICAS = 8
GATHER = re.compile(r"= \(?(\w+)\[([\d,]*)\]\S* all-gather(?:-start)?\(")


@pytest.fixture(autouse=True)
def devices():
    """All devices, one for each replica."""
    with tf.config.override(xla_devices=MOST_DEVICES):
        yield MOST_DEVICES


def replicas(*shape, dtype=np.float32):
    generator = np.random.default_rng(5)
    return [[generator.normal(size=shape).astype(dtype)] for _ in range(REPLICAS)]


@pytest.mark.parametrize(
    ("count", "setting", "used"),
    [(8, 8, 8), (8, 4, 4), (6, 4, 3), (8, 3, 2), (5, 4, 1), (2, 8, 2), (1, 8, 1)],
)
def test_the_largest_number_that_divides_the_replicas(count, setting, used):
    place = placement(count, setting)
    assert len(place.shared.device_set) == used
    rows, each = place.put_rows(lambda replica: np.full(2, replica)), count // used
    assert [s.data[:, 0].tolist() for s in rows.addressable_shards] == [
        list(range(k * each, (k + 1) * each)) for k in range(used)
    ]
    assert len(placement(REPLICAS, None).shared.device_set) == MOST_DEVICES
    assert placement(REPLICAS, "cpu").shared == placement(REPLICAS, None).shared


@pytest.mark.parametrize("setting", [MOST_DEVICES + 1, "abacus"])
def test_devices_that_jax_does_not_have(setting):
    build = replicated(lambda x: x + 1, replicas(2))
    refusal = pytest.raises(ValueError, match=rf"xla_devices is '?{setting}.*E001")
    with tf.config.override(xla_devices=setting), refusal:
        evaluated(build, "xla")


def test_each_device_computes_its_replicas_alone(agree, compiled):
    w = np.random.default_rng(1).normal(size=(4, 4)).astype(np.float32)

    def computation(x):
        y = tf.sin(tf.matmul(x, tf.constant(w))) * 2
        _, z = tf.while_loop(
            lambda k, a: k < 3, lambda k, a: (k + 1, tf.cos(a) + y), [0, x]
        )
        chosen = tf.cond(x[0, 0] > 0, lambda: z + 1, lambda: z * y)
        return chosen, tf.gather(x, [2, 0]), tf.nn.top_k(x, 2), tf.cumsum(y)

    agree(replicated(computation, replicas(3, 4)))
    text = compiled()
    assert "f32[1,3,4]" in text and "f32[8,3,4]" not in text
    assert not [found for found in GATHER.findall(text) if found[0] == "f32"]


def test_images_stay_where_their_replica_is(agree, compiled):
    def build():
        k = tf.get_variable("k", initializer=np.full((3, 3, 2, 4), 0.1, np.float32))
        optimizer = tf.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.1))

        def step(x):
            loss = tf.reduce_mean(tf.nn.conv2d(x, k, [1, 2, 2, 1], "SAME") ** 2)
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(loss)

        return tf.tpu.replicate(step, replicas(2, 6, 6, 2)), None

    agree(build)
    gathered = [shape for kind, shape in GATHER.findall(compiled()) if kind == "f32"]
    assert gathered == ["8,3,3,2,4"]  # the gradients of the filters


def test_arrays_without_elements(agree):
    def computation(x):
        return -x, tf.matmul(x, x, transpose_a=True), tf.reduce_sum(x, 0) + 1

    agree(replicated(computation, replicas(0, 3)))


def test_towers_and_values_of_one_replica(agree):
    def build():
        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
            w = tf.Variable(np.float32([1, 2]))

        def own():
            rank = tf.distribute.get_replica_context().replica_id_in_sync_group
            return w * tf.cast(rank, tf.float32)

        return strategy.run(own), None

    agree(build)


def test_a_matrix_on_one_tower(agree, strategy_of):
    def build():
        strategy = strategy_of(4)
        with strategy.scope():
            total = summed_on_read("total", np.int32([[1, 2]]))
        parts = strategy.unwrap(total)
        return [strategy.read_var(total), parts[3], tf.reshape(parts[1], [2])], None

    agree(build)


@pytest.mark.parametrize("on", [4, 8])
def test_small_sums_have_the_bits_of_lockstep(on):
    groups = [[0, 5, 2, 7], [1, 6, 3, 4]]

    def computation(x):
        apart = tf.tpu.cross_replica_sum(x, groups)
        return tf.tpu.cross_replica_sum(x), apart, tf.tpu.cross_replica_sum(x * x)

    with tf.config.override(xla_devices=on):
        require_bits_of_lockstep(replicated(computation, replicas(33)))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
@pytest.mark.parametrize("on", [4, 8])
def test_large_sums_are_added_between_devices(on, dtype, compiled):
    def computation(x):
        return tf.tpu.cross_replica_sum(tf.cast(x * 9, dtype))

    build = replicated(computation, replicas(40_000))
    with tf.config.override(xla_devices=on):
        expected, got = (evaluated(build, name) for name in ("lockstep", "xla"))
    assert "all-reduce" in compiled()
    a, b = (tf.nest.flatten(values)[3] for values in (expected, got))
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    if dtype == "int32":
        assert a.tobytes() == b.tobytes()
    tolerance = 0.02 if dtype == "bfloat16" else 1e-5
    np.testing.assert_allclose(a.astype(float), b.astype(float), tolerance, tolerance)


def test_a_variable_moves_to_the_devices_of_the_next_program(session):
    w = tf.get_variable("w", initializer=np.float32([1, 2]))
    steps = [
        tf.tpu.replicate(
            lambda x: tf.assign_add(w, tf.tpu.cross_replica_sum(x)),
            [[np.float32([k + 1, 1])] for k in range(count)],
        )
        for count in (8, 3, 1)
    ]
    session.run(w.initializer)
    for step in (*steps, *steps):
        session.run(step)
    assert session.run(w).tolist() == [1 + 2 * (36 + 6 + 1), 2 + 2 * 12]
