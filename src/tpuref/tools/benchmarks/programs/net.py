"""The weights of a program, and the parts that several programs share."""

import numpy as np


class Net:
    """The weights of one program, equal in every library and on every replica.

    `tf` is the library, or its API of TensorFlow 1.x.
    """

    def __init__(self, tf):
        self.tf = tf
        self._draw = np.random.RandomState(0)
        self._count = 0

    def _variable(self, value):
        self._count += 1
        return self.tf.get_variable(
            "weight_%d" % self._count, initializer=value.astype(np.float32)
        )

    def weight(self, *shape):
        """Return a weight whose products keep the variance of their inputs."""
        scale = float(np.prod(shape[:-1])) ** -0.5
        return self._variable(self._draw.standard_normal(shape) * scale)

    def table(self, rows, width):
        """Return an embedding table."""
        return self._variable(self._draw.standard_normal((rows, width)) * 0.02)

    def bias(self, size):
        """Return a bias of zeros."""
        return self._variable(np.zeros(size))

    def dense(self, x, size):
        """Multiply activations with a weight and add a bias."""
        return self.tf.matmul(x, self.weight(int(x.shape[-1]), size)) + self.bias(size)

    def conv(self, images, size, kernel, stride=1):
        """Convolve images with SAME padding and add a bias."""
        filters = self.weight(kernel, kernel, int(images.shape[-1]), size)
        strides = [1, stride, stride, 1]
        return self.tf.nn.conv2d(images, filters, strides, "SAME") + self.bias(size)

    def norm(self, x):
        """Normalize each vector, then scale and shift it."""
        tf, width = self.tf, int(x.shape[-1])
        x -= tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(tf.square(x), -1, keepdims=True)
        scale = self._variable(np.ones(width))
        return x * tf.rsqrt(variance + 1e-6) * scale + self.bias(width)

    def attention(self, x, length, heads, added=0.0):
        """Let each of `length` positions attend to all; `added` changes the scores."""
        tf, width = self.tf, int(x.shape[-1])

        def split(y):
            y = tf.reshape(y, [-1, length, heads, width // heads])
            return tf.transpose(y, [0, 2, 1, 3])

        q, k, v = [split(self.dense(x, width)) for _ in range(3)]
        scores = tf.matmul(q, k, transpose_b=True) * (width // heads) ** -0.5
        mixed = tf.matmul(tf.nn.softmax(scores + added), v)
        joined = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [-1, width])
        return self.dense(joined, width)

    def gelu(self, x):
        """Return the approximation that BERT and GPT-2 use."""
        inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1.0 + self.tf.tanh(inner))

    def cross_entropy(self, scores, labels):
        """Return the mean cross entropy of integer labels."""
        return self.tf.reduce_mean(
            self.tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels, logits=scores
            )
        )
