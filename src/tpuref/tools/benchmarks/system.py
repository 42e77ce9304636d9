"""A running pool of cores to measure."""

import contextlib
from collections.abc import Iterator

import tpuref as tf


@contextlib.contextmanager
def running_system(cores: int) -> Iterator[tf.Session]:
    """Start a pool of that many cores, and yield a session with an empty graph."""
    with (
        tf.Graph().as_default(),
        tf.config.override(cores=cores, executor="pool"),
        tf.Session() as session,
    ):
        session.run(tf.tpu.initialize_system())
        try:
            yield session
        finally:
            session.run(tf.tpu.shutdown_system())
