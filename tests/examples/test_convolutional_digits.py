"""The convolutional example learns, resumes, and trains as TensorFlow 1.15.5 does."""

import math
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import tpuref as tf

SCRIPT = Path(__file__).parents[2] / "examples" / "convolutional_digits.py"
EVERY_TWENTIETH = [3.1110506, 2.1858306, 0.6869237, 0.3759439, 0.3585134]
WEIGHTS = [59.096420, 13.014830, 435.616943, 30.950626, 167.549896, 4.980668]
"""From TensorFlow 1.15.5, one CPU: every twentieth loss of 100 steps, and the sums of
the sizes of the variables after them."""

pytest.importorskip("sklearn", reason="the example needs the extra 'examples'")


@pytest.fixture
def example():
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


def test_it_learns_and_goes_on_from_its_checkpoint(example, tmp_path, capsys):
    accuracies = []
    for steps in ("40", "60"):
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            example.main([f"--folder={tmp_path}", f"--steps={steps}", "--cores=4"])
        accuracies.append(float(capsys.readouterr().out.split()[-1]))
    assert accuracies[1] > 0.95 and accuracies[1] > accuracies[0]
    assert list(tmp_path.glob("events.out.tfevents.*"))


def test_eight_cores_train_as_tensorflow_does_on_one_cpu(example):
    images, labels = example.load()
    x = tf.placeholder(tf.float32, [128, 8, 8, 1])
    y = tf.placeholder(tf.int32, [128])
    (losses,) = tf.tpu.shard(example.train_step, inputs=[x, y], num_shards=8)
    loss, values = tf.reduce_mean(losses), np.random.RandomState(7)
    seen = []
    with tf.config.override(cores=8, executor="pool"), tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for v in tf.trainable_variables():
            shape = v.shape.as_list()
            scale = math.sqrt(math.prod(shape[:-1]))
            v.load(values.standard_normal(shape).astype(np.float32) / scale, sess)
        for step in range(100):
            rows = np.random.RandomState(step).choice(1440, 128, False)
            seen.append(sess.run(loss, {x: images[rows], y: labels[rows]}))
        sums = [np.abs(sess.run(v)).sum() for v in tf.trainable_variables()]
    np.testing.assert_allclose(seen[::20], EVERY_TWENTIETH, rtol=1e-5)
    np.testing.assert_allclose(sums, WEIGHTS, rtol=1e-5)
