"""Training of a GPT-2: 4 layers of width 256, 4 heads, 64 tokens."""

import numpy as np

BATCH, TOKENS, LENGTH, WIDTH, HEADS, LAYERS = 16, 1000, 64, 256, 4, 4


def batch(draw):
    """Return tokens, one more than the length."""
    return [draw.randint(0, TOKENS, (BATCH, LENGTH + 1)).astype(np.int32)]


def loss(net, tokens):
    """Return the loss of the next token."""
    tf, table = net.tf, net.table(TOKENS, WIDTH)
    later = np.triu(np.full((LENGTH, LENGTH), -1e9, np.float32), 1)
    x = tf.gather(table, tokens[:, :-1]) + net.table(LENGTH, WIDTH)
    x = tf.reshape(x, [-1, WIDTH])
    for _ in range(LAYERS):
        x += net.attention(net.norm(x), LENGTH, HEADS, later)
        x += net.dense(net.gelu(net.dense(net.norm(x), 4 * WIDTH)), WIDTH)
    scores = tf.matmul(net.norm(x), table, transpose_b=True)
    return net.cross_entropy(scores, tf.reshape(tokens[:, 1:], [-1]))


def optimizer(tf):
    """Return the optimizer."""
    return tf.train.AdamOptimizer(1e-3)
