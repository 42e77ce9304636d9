"""Programs to compile for a TPU: ``programs.py NAME [--size=N]``."""

import argparse
import os

import numpy as np

import tpuref as tf

CORES = int(os.environ.get("TPUREF_CORES", "8"))


def train(x, y):
    width = int(x.shape[1])
    with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
        weights = tf.get_variable("w", [width, 3])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
    with tf.control_dependencies([optimizer.minimize(loss)]):
        return tf.identity(loss)


def masked(x, y):
    return tf.reduce_sum(tf.boolean_mask(x, x > 0.5))


def large(x, y):
    square = tf.matmul(x, x, transpose_a=True)
    return square, tf.matmul(tf.sin(square), square)


def dropout(x, y):
    return tf.reduce_sum(tf.nn.dropout(x, keep_prob=0.5))


def called(x, y):
    def on_host(rows):
        return tf.py_func(lambda a: a * 2, [rows], tf.float32)

    product = tf.matmul(x, x, transpose_a=True)
    doubled = tf.contrib.tpu.outside_compilation(on_host, product)
    doubled.set_shape(product.shape)
    return tf.reduce_sum(doubled)


def looped(x, y):
    return tf.contrib.tpu.repeat(
        3, lambda total: [total + tf.reduce_sum(tf.sin(x + total))], [0.0]
    )


def two_cores(x, y):
    """Compute a layer on each of two logical cores."""
    with tf.device(tf.contrib.tpu.core(0)):
        first = tf.get_variable("first", [int(x.shape[1]), 256])
        hidden = tf.nn.relu(tf.matmul(x, first))
    with tf.device(tf.contrib.tpu.core(1)):
        second = tf.get_variable("second", [256, 1024])
        logits = tf.matmul(hidden, second)
        return tf.assign_add(second, tf.matmul(hidden, logits, transpose_a=True))


def kept_turns(x, y):
    """Return the gradient of a loop whose number of turns depends on data."""
    found = tf.while_loop(
        lambda x: tf.reduce_sum(x) < 100.0,
        lambda x: [tf.sin(x) * x],
        [x],
        maximum_iterations=5,
    )
    return tf.gradients(tf.reduce_sum(found), x)


def text(x, y):
    return tf.cast(tf.equal(tf.constant(["a", "b"]), "a"), tf.float32) + x[0, 0]


def called_for_text(x, y):
    def on_host(rows):
        return tf.py_func(lambda a: [str(v) for v in a[0]], [rows], tf.string)

    words = tf.contrib.tpu.outside_compilation(on_host, x)
    return tf.reduce_sum(tf.cast(tf.equal(words, "1"), tf.int32))


def shard(step, size):
    x = tf.placeholder(tf.float32, [4 * CORES, size])
    y = tf.placeholder(tf.float32, [4 * CORES, 3])
    outputs = tf.tpu.shard(step, [x, y], num_shards=CORES)
    rows = np.random.RandomState(0).rand(4 * CORES, size)
    return outputs, {x: rows, y: np.zeros([4 * CORES, 3])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--size", type=int, default=16)
    flags = parser.parse_args()
    if flags.name == "nothing":
        total = tf.reduce_sum(tf.ones([3]))
        with tf.Session() as session:
            session.run(total)
        return
    outputs, feeds = shard(globals()[flags.name], flags.size)
    with tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        session.run(tf.global_variables_initializer())
        for _ in range(100):
            session.run(outputs, feeds)
            print("step")


if __name__ == "__main__":
    main()
