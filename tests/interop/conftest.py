"""Both ways to run, for values that come from other libraries."""

import pytest

import tpuref as tf


@pytest.fixture(params=["lockstep", "pool"])
def executor(request):
    """Run the replicas on each executor in turn."""
    with tf.config.override(executor=request.param):
        yield request.param
