"""Exchanges between replicas: what NumPy moves, and its gradients."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.python.tpu.ops import tpu_ops

RNG = np.random.default_rng(8)
X = RNG.normal(size=(4, 2, 4, 3)).astype("f")  # a tensor for each replica


def replicas_of(executor, function):
    with tf.config.override(cores=4, executor=executor), tf.Session() as session:
        found = tf.tpu.replicate(function, [[x] for x in X])
        return [[np.asarray(v) for v in each] for each in session.run(found)]


@pytest.fixture(params=["lockstep", "pool", "xla"])
def executor(request):
    if request.param == "xla":
        pytest.importorskip("jax")
    return request.param


@pytest.mark.parametrize("groups", [[[0, 1, 2, 3]], [[2, 0], [1, 3]]])
def test_all_to_all(executor, groups):
    count = len(groups[0])

    def exchanged(x):
        found = tpu_ops.all_to_all(x, 0, 1, count, groups)
        return found, tf.gradients(found * found, x)[0]

    found = replicas_of(executor, exchanged)
    for group in groups:
        for place, replica in enumerate(group):
            parts = [np.split(X[other], count, 1)[place] for other in group]
            assert (found[replica][0] == np.concatenate(parts, 0)).all()
            np.testing.assert_allclose(found[replica][1], 2 * X[replica], rtol=1e-6)


def test_collective_permute(executor):
    pairs = [[0, 2], [3, 1], [1, 0]]

    def moved(x):
        found = tpu_ops.collective_permute(x, pairs)
        return found, tf.gradients(found * found, x)[0]

    found = replicas_of(executor, moved)
    wanted, sent = np.zeros_like(X), np.zeros_like(X)
    for source, target in pairs:
        wanted[target], sent[source] = X[source], 2 * X[source]
    for replica in range(4):
        assert (found[replica][0] == wanted[replica]).all()
        np.testing.assert_allclose(found[replica][1], sent[replica], rtol=1e-6)


@pytest.mark.parametrize("pairs", [[[0, 1], [0, 2]], [[0, 4]], [[1, 2], [3, 2]], [0]])
def test_what_does_not_name_each_replica_once(pairs):
    with pytest.raises(ValueError, match="source_target_pairs: expected pairs"):
        replicas_of("lockstep", lambda x: tpu_ops.collective_permute(x, pairs))
    with pytest.raises(ValueError, match="split_count: expected 4.*got 2"):
        replicas_of("lockstep", lambda x: tpu_ops.all_to_all(x, 0, 1, 2))


def test_raw_operations(executor):
    raw = tf.raw_ops
    every, pairs = [[0, 1, 2, 3]], [[0, 2], [3, 1]]
    sizes = {"concat_dimension": 0, "split_dimension": 1, "split_count": 4}

    def both(x):
        return (
            raw.AllToAll(input=x, group_assignment=every, **sizes),
            tpu_ops.all_to_all(x, 0, 1, 4, every),
            raw.CollectivePermute(input=x, source_target_pairs=tf.constant(pairs)),
            tpu_ops.collective_permute(x, pairs),
            raw.CrossReplicaSum(input=x, group_assignment=tf.constant(every)),
            tf.tpu.cross_replica_sum(x, every),
        )

    for found in replicas_of(executor, both):
        for one, other in zip(found[::2], found[1::2], strict=True):
            assert (one == other).all()
