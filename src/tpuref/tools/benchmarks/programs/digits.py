"""A training loop of TensorFlow 2 for digits: 64, 256 and 10 units."""

import numpy as np

BATCH, SIZES = 128, (64, 256, 10)


def batch(draw):
    """Return images and their classes."""
    images = draw.random_sample((BATCH, SIZES[0])).astype(np.float32)
    return [images, draw.randint(0, SIZES[-1], BATCH).astype(np.int32)]


def variables(tf):
    """Return the weights and biases."""
    draw, made = np.random.RandomState(0), []
    for rows, columns in zip(SIZES, SIZES[1:]):
        weight = draw.standard_normal((rows, columns)) * rows**-0.5
        made.append(tf.Variable(weight.astype(np.float32)))
        made.append(tf.Variable(np.zeros(columns, np.float32)))
    return made


def step(tf, weights, summed, images, labels):
    """Take a step with gradients that `summed` adds up; return a share of the loss."""
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.matmul(images, weights[0]) + weights[1])
        scores = tf.matmul(hidden, weights[2]) + weights[3]
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)
        loss = tf.reduce_sum(each) / BATCH
    for weight, gradient in zip(weights, summed(tape.gradient(loss, weights))):
        weight.assign_sub(0.1 * gradient)
    return loss
