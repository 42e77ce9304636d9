"""The basic example of tf.compat.v1.tpu.replicate (003_0632b6613bf28dbc.txt)."""

import tpuref as tf


def computation(x):
    x = x + 1
    return tf.math.reduce_mean(x)


x = tf.convert_to_tensor([1.0, 2.0, 3.0])
y = tf.convert_to_tensor([4.0, 5.0, 6.0])
outputs = tf.compat.v1.tpu.replicate(computation, inputs=[[x], [y]])

with tf.Session() as sess:
    for replica, (mean,) in enumerate(sess.run(outputs)):
        print(f"replica {replica}: {mean}")
