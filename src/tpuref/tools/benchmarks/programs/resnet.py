"""Training of a ResNet of CIFAR's size: 16, 32 and 64 filters, one block of each."""

import numpy as np

BATCH, CLASSES = 64, 10


def batch(draw):
    """Return images and their classes."""
    images = draw.standard_normal((BATCH, 32, 32, 3)).astype(np.float32)
    return [images, draw.randint(0, CLASSES, BATCH).astype(np.int32)]


def loss(net, x, labels):
    """Return the loss; batches are not normalized, as replicas would do it apart."""
    tf = net.tf
    x = tf.nn.relu(net.conv(x, 16, 3))
    for size, stride in ((16, 1), (32, 2), (64, 2)):
        inner = tf.nn.relu(net.conv(x, size, 3, stride))
        straight = x if stride == 1 else net.conv(x, size, 1, stride)
        x = tf.nn.relu(straight + 0.3 * net.conv(inner, size, 3))
    return net.cross_entropy(net.dense(tf.reduce_mean(x, [1, 2]), CLASSES), labels)


def optimizer(tf):
    """Return the optimizer."""
    return tf.train.MomentumOptimizer(0.05, 0.9)
