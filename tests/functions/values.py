"""Values of tensors, as a session gives them."""

import numpy as np

import tpuref as tf


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def same(got, expected):
    """Compare arrays, or lists of them, element by element."""
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
    else:
        np.testing.assert_array_equal(got, expected)
