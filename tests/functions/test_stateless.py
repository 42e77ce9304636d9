"""Stateless random numbers have the bits of TensorFlow 2.21, on every executor."""

import numpy as np
import pytest

import tpuref as tf

SEED = [123456789012, -5]

RECORDED = [
    ("stateless_uniform", "float32", [0.9453063011169434, 0.723560094833374,
     0.5005135536193848, 0.3513193130493164]),
    ("stateless_uniform", "float64", [0.562451090148762, 0.004109215645714315,
     0.9925837488982596, 0.04168975565798916]),
    ("stateless_uniform", "float16", [0.94921875, 0.404296875, 0.20703125, 0.0078125]),
    ("stateless_uniform", "bfloat16", [0.59375, 0.234375, 0.65625, 0.0625]),
    ("stateless_normal", "float32", [-0.3307815194129944, -0.05546281486749649,
     0.9460738301277161, -0.6994180679321289]),
    ("stateless_normal", "float64", [0.02769553498972139, 1.0724435446227158,
     0.03159702664169229, 0.11785331707647087]),
    ("stateless_normal", "float16", [-0.330810546875, -0.055450439453125, 0.9462890625,
     -0.69921875]),
    ("stateless_normal", "bfloat16", [-0.330078125, -0.055419921875, 0.9453125,
     -0.69921875]),
    ("stateless_truncated_normal", "float32", [-0.3307815194129944,
     -0.05546281486749649, 0.9460738301277161, -0.6994180679321289]),
    ("stateless_truncated_normal", "float64", [0.02769553498972139, 1.0724435446227158,
     0.8288179298066884, -0.3285647496225128]),
    ("stateless_truncated_normal", "float16", [-0.330810546875, -0.055450439453125,
     0.9462890625, -0.69921875]),
    ("stateless_truncated_normal", "bfloat16", [-0.330078125, -0.055419921875,
     0.9453125, -0.69921875]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "dtype", "expected"), RECORDED)
def test_real_numbers(function, dtype, expected, eager):
    drawn = getattr(tf.random, function)([3, 37], SEED, dtype=dtype)
    found = drawn.numpy().ravel()[:4].astype(np.float64)
    if function == "stateless_uniform":
        assert found.tolist() == expected
    else:  # the last bit of a sine or logarithm is that of the C library
        np.testing.assert_allclose(found, expected, 3e-7)


def test_many_numbers(eager):
    drawn = tf.random.stateless_uniform([40000], [1, 2]).numpy()
    assert drawn[[32766, 32767, 32768, 32769, -1]].tolist() == [
        0.11777567863464355, 0.08413505554199219, 0.3177551031112671,
        0.6409436464309692, 0.053585052490234375,
    ]  # fmt: skip


def test_integers_orders_and_classes(eager):
    bounds = {"minval": -7, "maxval": 1000003}
    full = {"minval": None, "maxval": None}
    logits = np.log([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
    found = [
        tf.random.stateless_uniform([37], SEED, dtype="int32", **bounds)[:4],
        tf.random.stateless_uniform([37], SEED, dtype="int64", **bounds)[:4],
        tf.random.stateless_uniform([37], SEED, dtype="uint64", **full)[:2],
        tf.random.experimental.stateless_shuffle(tf.range(20), [1, 5]),
        tf.compat.v2.random.split([1, 5], 3),
        tf.compat.v2.random.fold_in([1, 5], 7),
        tf.random.stateless_categorical(logits, 11, [1, 5]),
    ]
    assert [x.numpy().tolist() for x in found] == [
        [544337, 880905, 11579, 904229],
        [694329, 625325, 483088, 474993],
        [13176579914192191436, 15216809955970519252],
        [7, 12, 9, 13, 18, 11, 1, 19, 4, 17, 5, 8, 15, 16, 10, 14, 2, 0, 3, 6],
        [
            [-2000646829, -1121602124],
            [-2078535381, 1392240442],
            [-2063118082, -1558532065],
        ],
        [-2000646829, 7],
        [[0, 2, 1, 1, 1, 0, 1, 2, 1, 2, 0], [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1]],
    ]


def test_cores_draw_as_lockstep():
    def drawn():
        return tf.random.stateless_truncated_normal([40], [3, 4])

    with tf.Graph().as_default():
        parts = tf.tpu.replicate(drawn, [[], []])
        with tf.Session() as session:
            first, second = session.run(parts)
    with tf.eager_execution():
        whole = drawn().numpy()
    assert first[0].tolist() == second[0].tolist() == whole.tolist()
