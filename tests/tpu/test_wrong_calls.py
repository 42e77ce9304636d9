"""Calls of tf.tpu's functions with the wrong arguments name function and parameter."""

import pytest

import tpuref as tf


def add(a, b):
    return a + b


X = [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.tpu.shard(add, X, num_shards=2), r"tpu\.shard: .* missing: 'b'"),
        (lambda: tf.tpu.batch_parallel(add, X), r"tpu\.shard: .* missing: 'b'"),
        (lambda: tf.tpu.replicate(add, [X, X]), r"tpu\.replicate: .* missing: 'b'"),
        (lambda: tf.tpu.rewrite(add, []), r"tpu\.rewrite: .* missing: 'a', 'b'"),
        (lambda: tf.tpu.shard(add, X, shards=8), r"shard\(\).*did you mean num_shards"),
        (lambda: tf.tpu.rewrite(add, qq=1), r"rewrite\(\) has no argument 'qq'; it"),
        (lambda: tf.tpu.shard(add, X, infeed_queue=3), r"tpu\.shard: infeed_queue"),
    ],
)
def test_messages(call, message):
    with pytest.raises(TypeError, match=message):
        call()
