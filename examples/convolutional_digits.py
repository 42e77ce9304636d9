"""Learn handwritten digits with a convolutional network on eight cores.

Written as for TensorFlow 1.15: layers, ``CrossShardOptimizer``, ``tf.tpu.shard``,
summaries for TensorBoard, and a checkpoint from which a second call goes on.

    python examples/convolutional_digits.py --folder digits
    tensorboard --logdir digits
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from tqdm import trange

import tpuref as tf

try:
    from sklearn.datasets import load_digits
except ModuleNotFoundError:
    sys.exit("This example needs the extra examples: pip install scikit-learn")

BATCH, TRAINING = 128, 1440


def load() -> tuple[np.ndarray, np.ndarray]:
    """Return the 1,797 digits of scikit-learn, ``[n, 8, 8, 1]``, and their labels."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = (digits.images[order, :, :, None] / 16).astype(np.float32)
    return images, digits.target[order].astype(np.int32)


def network(images: tf.Tensor) -> tf.Tensor:
    """Return the logits of images; a second call uses the same variables."""
    with tf.variable_scope("network", reuse=tf.AUTO_REUSE):
        net = tf.layers.conv2d(images, 16, 3, padding="same", activation=tf.nn.relu)
        net = tf.layers.max_pooling2d(net, 2, 2)
        net = tf.layers.conv2d(net, 32, 3, padding="same", activation=tf.nn.relu)
        net = tf.layers.flatten(tf.layers.max_pooling2d(net, 2, 2))
        return tf.layers.dense(net, 10)


def train_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Train with one batch; on cores, each of them takes its share of it."""
    loss = tf.losses.sparse_softmax_cross_entropy(labels, network(images))
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    train = tf.tpu.CrossShardOptimizer(optimizer).minimize(loss)
    with tf.control_dependencies([train]):
        return tf.reshape(loss, [1])


def main(arguments: list[str] | None = None) -> None:
    """Train, save and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", required=True, help="checkpoints and summaries")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--cores", type=int, default=8)
    options = parser.parse_args(arguments)
    images, labels = load()
    x = tf.placeholder(tf.float32, [BATCH, 8, 8, 1])
    y = tf.placeholder(tf.int32, [BATCH])
    (losses,) = tf.tpu.shard(train_step, inputs=[x, y], num_shards=options.cores)
    summary = tf.summary.scalar("loss", tf.reduce_mean(losses))
    answers = tf.argmax(network(tf.constant(images[TRAINING:])), 1)
    saver = tf.train.Saver()
    with tf.config.override(cores=options.cores), tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        if last := tf.train.latest_checkpoint(options.folder):
            saver.restore(sess, last)
        with tf.summary.FileWriter(options.folder, sess.graph) as writer:
            for step in trange(options.steps, desc="training"):
                rows = np.random.default_rng(step).choice(TRAINING, BATCH, False)
                seen = sess.run(summary, {x: images[rows], y: labels[rows]})
                writer.add_summary(seen, step)
        saver.save(sess, f"{options.folder}/model", global_step=options.steps)
        accuracy = np.mean(sess.run(answers) == labels[TRAINING:])
    print(f"test accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
