"""What nobody can stop ends with the process; memory that runs out has its error."""

import signal
import subprocess
import sys
import time

import pytest

import tpuref as tf

from .conftest import ONE_DEVICE

pytest.importorskip("jax", reason="JAX is not installed")

ENDLESS = """
import signal
import tpuref as tf

signal.signal(signal.SIGINT, signal.default_int_handler)
tf.config.executor, tf.config.cores, tf.config.timeout = "xla", 2, 1.0
one = lambda x: tf.while_loop(lambda k: k < 10, lambda k: k + tf.to_int32(x), [0])
endless = tf.tpu.replicate(one, [[0.0], [0.0]])
with tf.Session() as session:
    session.run(endless)
"""


@ONE_DEVICE
@pytest.mark.parametrize(
    ("sent", "status"), [([signal.SIGINT] * 2, 130), ([signal.SIGTERM], -15)]
)
def test_a_loop_without_end_is_reported_and_ended(sent, status):
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stderr=subprocess.PIPE, text=True
    ) as process:
        warning = process.stderr.readline()
        assert "by XLA for 1 s (TPUREF_TIMEOUT)" in warning and "W012" in warning
        for number in sent:
            process.send_signal(number)
            time.sleep(1.0)
        ended = process.wait(30.0)
        assert ended in (status, -sent[0])  # the first one ends it while it is compiled
        assert ("once more" in process.stderr.read()) is (ended == 130)


def test_memory_that_runs_out_has_its_error():
    with tf.config.override(executor="xla", cores=2), tf.Session() as session:
        count = tf.get_variable("count", initializer=tf.constant(1.0))

        def huge(x):
            added = tf.assign_add(count, x)
            rows = tf.fill([2**38], added) * tf.random_uniform([])
            return tf.reduce_sum(tf.cumsum(rows))

        initializer = tf.global_variables_initializer()
        session.run(initializer)
        asked = r"asked for \d+ bytes.*E044"
        with pytest.raises(tf.errors.ResourceExhaustedError, match=asked):
            session.run(tf.tpu.replicate(huge, [[1.0], [1.0]]))
        fine = tf.tpu.replicate(lambda x: x + count, [[1.0], [1.0]])
        for fetch in (count, fine):  # the run had the memory of its variables
            with pytest.raises(tf.errors.FailedPreconditionError, match="E140"):
                session.run(fetch)
        session.run(initializer)
        assert session.run(fine) == [(2.0,), (2.0,)]
