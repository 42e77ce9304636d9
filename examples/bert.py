"""Pretrain a BERT on random tokens, written as for a TPU of TensorFlow 1.15.

Whether the model fits is a question for the TPU's compiler, and needs no TPU:

    python examples/bert.py --layers 2 --width 128 --steps 3
    tpuref compile --for v2-8,v6e-4 --sweep batch_size=64,128 examples/bert.py
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np

import tpuref as tf

PREDICTED = 20
"""The number of masked tokens of a sequence."""

START = tf.truncated_normal_initializer(stddev=0.02)


class Bert:
    """The encoder, with the loss of masked tokens."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options

    def attention(self, x: Any, bias: Any) -> Any:
        """Return what each position reads from the others."""
        rows, length, width = x.shape.as_list()
        heads = self.options.heads
        apart = [rows, length, heads, width // heads]
        q, k, v = (
            tf.transpose(tf.reshape(dense(x, width, name), apart), [0, 2, 1, 3])
            for name in ("query", "key", "value")
        )
        scores = tf.matmul(q, k, transpose_b=True) * (width // heads) ** -0.5
        read = tf.matmul(tf.nn.softmax(scores + bias), v)
        merged = tf.reshape(tf.transpose(read, [0, 2, 1, 3]), [rows, length, width])
        return dense(merged, width, "output")

    def loss(self, tokens: Any, kinds: Any, places: Any, words: Any) -> Any:
        """Return the loss of a core's sequences; token 0 is padding."""
        options, width = self.options, self.options.width
        with tf.variable_scope("bert", reuse=tf.AUTO_REUSE):
            table = tf.get_variable("words", [options.vocabulary, width], None, START)
            positions = tf.get_variable(
                "positions", [options.length, width], None, START
            )
            segments = tf.get_variable("segments", [2, width], None, START)
            x = tf.gather(table, tokens) + positions + tf.gather(segments, kinds)
            x = normalized(x, "norm")
            bias = (tf.cast(tokens[:, None, None, :] > 0, tf.float32) - 1) * 10000.0
            for number in range(options.layers):
                with tf.variable_scope(f"layer_{number}"):
                    x = normalized(x + self.attention(x, bias), "attention_norm")
                    inner = gelu(dense(x, 4 * width, "inner"))
                    x = normalized(x + dense(inner, width, "outer"), "norm")
            masked = tf.gather(x, places, axis=1, batch_dims=1)
            masked = normalized(gelu(dense(masked, width, "head")), "head_norm")
            flat = tf.reshape(masked, [-1, width])
            logits = tf.matmul(flat, table, transpose_b=True) + tf.get_variable(
                "logits", [options.vocabulary], None, tf.zeros_initializer()
            )
        labels = tf.one_hot(tf.reshape(words, [-1]), options.vocabulary)
        return -tf.reduce_mean(tf.reduce_sum(tf.nn.log_softmax(logits) * labels, 1))

    def step(self, *inputs: Any) -> Any:
        """Train on the sequences of a core; return the loss."""
        loss = self.loss(*inputs)
        optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(1e-4))
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return tf.identity(loss)


def dense(x: Any, width: int, name: str) -> Any:
    """Return a layer's products, with its bias."""
    return tf.layers.dense(x, width, kernel_initializer=START, name=name)


def normalized(x: Any, name: str) -> Any:
    """Return the vectors with mean 0 and variance 1, scaled and shifted."""
    with tf.variable_scope(name):
        sizes = [int(x.shape[-1])]
        gamma = tf.get_variable("gamma", sizes, None, tf.ones_initializer())
        beta = tf.get_variable("beta", sizes, None, tf.zeros_initializer())
    centered = x - tf.reduce_mean(x, axis=-1, keepdims=True)
    variance = tf.reduce_mean(centered * centered, axis=-1, keepdims=True)
    return centered * tf.rsqrt(variance + 1e-12) * gamma + beta


def gelu(x: Any) -> Any:
    """Return the Gaussian error linear unit, by BERT's formula."""
    return 0.5 * x * (1 + tf.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def batch(options: argparse.Namespace) -> list[Any]:
    """Return tokens, their segments, the masked places and the words there."""
    draw = np.random.RandomState(0).randint
    rows, length = options.batch_size, options.length
    sizes = [(options.vocabulary, length), (2, length)]
    sizes += [(length, PREDICTED), (options.vocabulary, PREDICTED)]
    return [draw(0, high, [rows, count]).astype(np.int32) for high, count in sizes]


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options; their defaults are BERT-Base's."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    sizes = {"batch_size": 64, "steps": 100, "layers": 12, "width": 768}
    sizes |= {"heads": 12, "vocabulary": 30522, "length": 128}
    sizes["cores"] = int(os.environ.get("TPUREF_CORES", "8"))
    for name, value in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    return parser.parse_args(arguments)


def main() -> None:
    """Train some steps, and print the loss of each."""
    options = parsed()
    model, arrays = Bert(options), batch(options)
    inputs = [tf.placeholder(tf.int32, array.shape) for array in arrays]
    losses = tf.tpu.shard(model.step, inputs, num_shards=options.cores)
    with tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        session.run(tf.global_variables_initializer())
        for _ in range(options.steps):
            found = session.run(losses, dict(zip(inputs, arrays, strict=True)))
            print(f"loss {np.mean(found):.4f}")


if __name__ == "__main__":
    main()
