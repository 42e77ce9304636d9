"""How the conformance suite reaches numpylike."""

import contextlib

from tpuref_conformance.description import Eager

MODULE = "numpylike"
SKIP = {"tf.tpu.*_dyn/*": "names of another language's binding"}


@contextlib.contextmanager
def cores(tf, number):
    """Each replica is a thread; there may be any number."""
    yield


def session(tf):
    """Everything is computed at once."""
    return Eager()


def constant(tf, array):
    """Arrays are tensors."""
    return array
