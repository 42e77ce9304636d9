"""Training of the network of TensorFlow's mnist_tpu, without its dropout."""

import numpy as np

BATCH, CLASSES = 128, 10


def batch(draw):
    """Return images and their classes."""
    images = draw.random_sample((BATCH, 28, 28, 1)).astype(np.float32)
    return [images, draw.randint(0, CLASSES, BATCH).astype(np.int32)]


def loss(net, x, labels):
    """Return the loss of two convolutions and two dense layers."""
    tf = net.tf
    for size in (32, 64):
        x = tf.nn.relu(net.conv(x, size, 5))
        x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    x = tf.nn.relu(net.dense(tf.reshape(x, [-1, 7 * 7 * 64]), 1024))
    return net.cross_entropy(net.dense(x, CLASSES), labels)


def optimizer(tf):
    """Return the optimizer."""
    return tf.train.GradientDescentOptimizer(0.05)
