"""One core pool for all programs of the same number of cores."""

import pytest

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB


@pytest.fixture(autouse=True)
def fresh_process_state():
    """Give an empty default graph, and leave the core pool as it is."""
    tf.reset_default_graph()
    yield
    tf.reset_default_graph()


@pytest.fixture(scope="module")
def pool_session():
    """Open sessions on a pool of so many cores, which the last test left running."""
    LOCAL.reset()
    running = []

    def opened(cores):
        wanted = [cores, tf.config.processes]
        if running != wanted or LOCAL._systems[LOCAL_JOB].topology is None:
            with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
                session.run(tf.tpu.initialize_system())
            running[:] = wanted
        return tf.Session()

    yield opened
    LOCAL.reset()
