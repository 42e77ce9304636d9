"""Training of an LSTM with 128 units on 32 steps of 28 numbers."""

import numpy as np

BATCH, STEPS, FEATURES, UNITS, CLASSES = 128, 32, 28, 128, 10


def batch(draw):
    """Return sequences and their classes."""
    sequences = draw.standard_normal((BATCH, STEPS, FEATURES))
    labels = draw.randint(0, CLASSES, BATCH)
    return [sequences.astype(np.float32), labels.astype(np.int32)]


def loss(net, x, labels):
    """Return the loss of the class after the last step."""
    tf, weight = net.tf, net.weight(FEATURES + UNITS, 4 * UNITS)
    bias, h = net.bias(4 * UNITS), tf.zeros([int(x.shape[0]), UNITS])
    c = h
    for step in range(STEPS):
        gates = tf.matmul(tf.concat([x[:, step], h], 1), weight) + bias
        i, g, f, o = tf.split(gates, 4, 1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
    return net.cross_entropy(net.dense(h, CLASSES), labels)


def optimizer(tf):
    """Return the optimizer."""
    return tf.train.GradientDescentOptimizer(0.1)
