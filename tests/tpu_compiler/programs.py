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


def double(x, y):
    wide = tf.cast(x, tf.float64)
    return tf.reduce_sum(tf.matmul(wide, wide, transpose_b=True))


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


if __name__ == "__main__":
    main()
