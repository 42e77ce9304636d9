"""The advanced example of tf.compat.v1.tpu.replicate (003_0632b6613bf28dbc.txt).

Both replicas take any number of rows. The inputs are put into buckets of a power of
two rows, which changes no result.
"""

import numpy as np

import tpuref as tf


def computation(x):
    x = x + 1
    return tf.math.reduce_mean(x)


x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 2])
outputs = tf.compat.v1.tpu.replicate(
    computation,
    inputs=[x, y],
    maximum_shapes=[tf.TensorShape([None, None])],
    padding_spec=tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO,
)

with tf.Session() as sess:
    for x_rows, y_rows in [(3, 5), (7, 1), (4, 4)]:
        fed = {x: np.full([x_rows, 2], 1.0), y: np.full([y_rows, 2], 3.0)}
        (x_mean,), (y_mean,) = sess.run(outputs, feed_dict=fed)
        print(f"{x_rows} and {y_rows} rows: {x_mean} and {y_mean}")
