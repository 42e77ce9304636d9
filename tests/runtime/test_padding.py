"""Padded inputs of every layout, as the replicas receive them."""

import numpy as np
import pytest

import tpuref as tf


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
@pytest.mark.parametrize("visible", [True, False])
def test_padded_inputs_of_any_layout(executor, visible):
    """What the replicas receive from arrays of every layout, small and large."""
    random = np.random.default_rng(4)
    x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
    fetch = tf.tpu.replicate(
        lambda x: (x * 1.0, tf.reduce_sum(x)),
        [[x], [y]],
        maximum_shapes=[tf.TensorShape([None, 40])],
    )
    whole = random.random((80, 80)).astype(np.float32)
    fed = [whole[:5, :3], whole[::2, 1::2], whole[::-1, :40], whole.T[:, :7]]
    settings = {"executor": executor, "cores": 2, "padding_visible": visible}
    with tf.config.override(**settings), tf.Session() as session:
        for one, other in zip(fed, reversed(fed), strict=True):
            rows = max(len(one), len(other))
            for (copy, total), array in zip(
                session.run(fetch, {x: one, y: other}), (one, other), strict=True
            ):
                assert copy.shape == ((rows, 40) if visible else array.shape)
                assert np.array_equal(copy[: array.shape[0], : array.shape[1]], array)
                assert total == pytest.approx(array.sum(dtype=np.float64), rel=1e-5)
