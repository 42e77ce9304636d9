"""Decoupled weight decay: what TensorFlow 1.15.5 computes over 100 steps."""

import numpy as np
import pytest

import tpuref as tf

OPTIMIZERS = {
    "AdamW": lambda: tf.contrib.opt.AdamWOptimizer(0.01, 0.1),
    "Momentum": lambda: tf.contrib.opt.extend_with_decoupled_weight_decay(
        tf.train.MomentumOptimizer
    )(weight_decay=0.02, learning_rate=0.1, momentum=0.9),
    "Adagrad": lambda: tf.contrib.opt.extend_with_decoupled_weight_decay(
        tf.train.AdagradOptimizer
    )(weight_decay=0.03, learning_rate=0.1),
}
SGDW = tf.contrib.opt.extend_with_decoupled_weight_decay(
    tf.train.GradientDescentOptimizer
)
# The sums of the rows of `w` with a dense and with a sparse gradient; then `b` if it is
# shrunk too, and if it is not.
MEASURED = {
    "AdamW": ([18.2204146326888, 19.1188533693712, -18.0207563455515,
        -17.1223176088692], [18.2204131126977, 0.2727272727273, 20.01729638886,
        -17.1223176088692], [-5.9736443011259, 0.7320646825465, 7.4377739938256],
        [-8.9999992714005, 2.0, 12.9999998644346]),
    "Momentum": ([102.5004880402227, 34.2994489026357, -33.9015902349514,
        -102.1026293725384], [68.2372081073765, 0.2727272727273, 34.624969630741,
        -102.1026293725384], [-20.8060515141779, 0.2652391117895, 42.2752008078296],
        [-44.5001105479722, 2.0, 94.0002210959444]),
    "Adagrad": ([1.1261882798814, 1.1847939543348, -1.0421364305586, -0.9835307561052],
        [1.1088934324867, 0.2727272727273, 1.3015137465153, -0.9835307561052],
        [-0.36063572429, 0.0951050158508, 0.5531620303681],
        [-0.8170427307122, 2.0, 4.8473662913634]),
}  # fmt: skip


@pytest.mark.parametrize("some", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_it_is_what_tensorflow_computes(name, sparse, some, evaluate):
    w = tf.get_variable("w", initializer=np.linspace(-1, 2, 12).reshape(4, 3))
    b = tf.get_variable("b", initializer=np.array([1.0, 2.0, 3.0]))
    gradient = tf.constant(np.linspace(-1, 1, 12).reshape(4, 3))
    slices = tf.IndexedSlices(gradient, tf.constant([0, 2, 0, 3]), [4, 3])
    pairs = [
        (slices if sparse else gradient, w),
        (tf.constant([0.5, 0.0, -1.0], tf.float64), b),
    ]
    decayed = [w] if some else None
    step = OPTIMIZERS[name]().apply_gradients(pairs, decay_var_list=decayed)
    for _ in range(100):
        evaluate(step)
    rows, other = evaluate([w, b])
    np.testing.assert_allclose(rows.sum(1), MEASURED[name][sparse], rtol=1e-11)
    np.testing.assert_allclose(other, MEASURED[name][2 + some], rtol=1e-11)


def test_minimize_honours_the_list_too(evaluate):
    """In 1.15.5 it has no effect there, although it is documented."""
    w, b = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = SGDW(weight_decay=0.5, learning_rate=0.1)
    evaluate(optimizer.minimize(w + b, decay_var_list=[w]))
    np.testing.assert_allclose(evaluate([w, b]), [0.4, 0.9], rtol=1e-6)


def test_every_tower_shrinks_its_component(strategy_of, evaluate):
    strategy = strategy_of(3)
    with strategy.scope():

        def fn():
            w = tf.get_variable("w", initializer=3.0)
            optimizer = SGDW(weight_decay=0.5, learning_rate=0.1)
            return optimizer.minimize(w * 2.0, decay_var_list=tf.trainable_variables())

        done = strategy.group(strategy.call_for_each_tower(fn))
        (w,) = (strategy.unwrap(v) for v in tf.trainable_variables())
        evaluate(done)
        np.testing.assert_allclose(evaluate(w), [1.3] * 3, rtol=1e-6)
