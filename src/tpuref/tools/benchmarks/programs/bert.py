"""Pre-training of a BERT without dropout: 2 layers of width 128, 2 heads, 64 tokens."""

import numpy as np

BATCH, TOKENS, LENGTH, WIDTH, HEADS, LAYERS, MASKED = 32, 1000, 64, 128, 2, 2, 8


def batch(draw):
    """Return tokens, masked positions, their tokens, and whether texts follow."""
    places = np.argsort(draw.random_sample((BATCH, LENGTH)), 1)[:, :MASKED]
    return [
        draw.randint(0, TOKENS, (BATCH, LENGTH)).astype(np.int32),
        places.astype(np.int32),
        draw.randint(0, TOKENS, (BATCH, MASKED)).astype(np.int32),
        draw.randint(0, 2, BATCH).astype(np.int32),
    ]


def loss(net, tokens, places, answers, follows):
    """Return the loss of the masked tokens and of the next sentence."""
    tf, table = net.tf, net.table(TOKENS, WIDTH)
    x = net.norm(tf.gather(table, tokens) + net.table(LENGTH, WIDTH))
    x = tf.reshape(x, [-1, WIDTH])
    for _ in range(LAYERS):
        x = net.norm(x + net.attention(x, LENGTH, HEADS))
        inner = net.gelu(net.dense(x, 4 * WIDTH))
        x = net.norm(x + net.dense(inner, WIDTH))
    texts = int(tokens.shape[0])
    rows = tf.reshape(places + LENGTH * tf.expand_dims(tf.range(texts), 1), [-1])
    masked = net.norm(net.gelu(net.dense(tf.gather(x, rows), WIDTH)))
    scores = tf.matmul(masked, table, transpose_b=True) + net.bias(TOKENS)
    first = tf.tanh(net.dense(tf.reshape(x, [-1, LENGTH, WIDTH])[:, 0], WIDTH))
    masked_loss = net.cross_entropy(scores, tf.reshape(answers, [-1]))
    return masked_loss + net.cross_entropy(net.dense(first, 2), follows)


def optimizer(tf):
    """Return the optimizer."""
    return tf.train.AdamOptimizer(1e-3)
