"""How the conformance suite reaches printed."""

import contextlib

import tpuref

MODULE = "printed"


@contextlib.contextmanager
def session(tf):
    """Start the system, and stop it however the program left it."""
    with tpuref.Session() as made:
        made.run(tpuref.tpu.initialize_system())
        yield made
        made.run(tpuref.tpu.initialize_system())
        made.run(tpuref.tpu.shutdown_system())


def cores(tf, number):
    """Fix the size of the system."""
    return tpuref.config.override(cores=number)


def constant(tf, array):
    """Make a tensor."""
    return tpuref.constant(array)
