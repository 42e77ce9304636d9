"""The captured constant of tf.tpu, via batch_parallel (000_04abb9e9288042d8.txt)."""

import tpuref as tf

x = tf.constant(7)


def computation():
    return x + 3


outputs = tf.tpu.batch_parallel(computation, num_shards=2)

with tf.Session() as sess:
    (values,) = sess.run(outputs)
    print(values.tolist())
