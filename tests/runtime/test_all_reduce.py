"""Each algorithm for sums over replicas, as programs meet it."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.configuration import ALL_REDUCES
from tpuref.kernels.fold import fold

CORES = 4
SIZES = [0, 1, 2, 3, 4, 1000, 2048, 2049, 70_001]
DTYPES = [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.uint32]


@pytest.fixture(scope="module")
def cores():
    """A pool of four cores for all tests of this module."""
    with tf.config.override(executor="pool", cores=CORES, timeout=20):
        yield


def values(size, dtype):
    """The contribution of each replica: numbers whose sum depends on the order."""
    random = np.random.default_rng(size)
    scale = 100 if dtype.is_integer else 1
    return [
        (random.random(size) * scale * 10**replica).astype(dtype.np)
        for replica in range(CORES)
    ]


def summed(fed, dtype, groups=None):
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.placeholder(dtype, array.shape) for array in fed]
        fetch = tf.tpu.replicate(
            lambda x: tf.tpu.cross_replica_sum(x * 1, groups), [[x] for x in inputs]
        )
        feed = dict(zip(inputs, fed, strict=True))
        return [out[0] for out in session.run(fetch, feed)]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("algorithm", ALL_REDUCES)
def test_sums_have_the_bits_of_a_fold(cores, algorithm, dtype):
    for size in SIZES:
        fed = values(size, dtype)
        expected = fold(fed)
        with tf.config.override(all_reduce=algorithm):
            found = summed(fed, dtype)
        assert len(found) == CORES and len({array.tobytes() for array in found}) == 1
        if algorithm == "ring" and dtype.is_floating:  # adds in another order
            tolerance = {2: 2**-7, 4: 2**-22, 8: 2**-51}[dtype.size]
            given, exact = (a.astype(np.float64) for a in (found[0], expected))
            np.testing.assert_allclose(given, exact, rtol=tolerance)
        else:
            assert found[0].tobytes() == expected.tobytes()


@pytest.mark.parametrize("algorithm", ALL_REDUCES)
def test_groups(cores, algorithm):
    for size in (5, 5000):
        fed = [np.full(size, 10.0**replica, np.float32) for replica in range(CORES)]
        with tf.config.override(all_reduce=algorithm):
            found = summed(fed, tf.float32, [[2, 0], [1, 3]])
        assert [out[0] for out in found] == [101.0, 1010.0, 101.0, 1010.0]


@pytest.mark.parametrize("algorithm", ALL_REDUCES)
def test_sums_in_a_loop(cores, algorithm):
    def computation(x):
        return tf.while_loop(
            lambda i, _: i < 50,
            lambda i, y: (i + 1, tf.tpu.cross_replica_sum(y / CORES)),
            [0, x],
        )[1]

    with tf.config.override(all_reduce=algorithm), tf.Session() as session:
        x = tf.fill([3000], 7.0)
        out = session.run(tf.tpu.replicate(computation, [[x]] * CORES))
    for (result,) in out:
        np.testing.assert_allclose(result, 7.0, rtol=1e-5)


@pytest.mark.parametrize("algorithm", ALL_REDUCES)
def test_what_was_summed_is_used_again(cores, algorithm):
    """The memory of a contribution, and of a sum, lives as long as its value."""

    def computation(x):
        doubled = x * 2.0  # lies where the sum takes it
        total = tf.tpu.cross_replica_sum(doubled)
        other = tf.tpu.cross_replica_sum(tf.reverse(doubled, [0]) * 3.0)
        return doubled, total, other, total + other

    with tf.config.override(all_reduce=algorithm), tf.Session() as session:
        x = tf.cast(tf.range(4000), tf.float32)
        out = session.run(tf.tpu.replicate(computation, [[x]] * CORES))
    n = np.arange(4000, dtype=np.float32)
    for doubled, total, other, both in out:
        np.testing.assert_array_equal(doubled, 2 * n)
        np.testing.assert_array_equal(total, 8 * n)
        np.testing.assert_array_equal(other, 24 * n[::-1])
        np.testing.assert_array_equal(both, 8 * n + 24 * n[::-1])
