"""The core processes and their memory."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.CORE_NOT_STARTED,
        "A core process did not start",
        meaning="The pool starts a Python process for each core. One of them could "
        "not be started, ended immediately, or did not start in time.",
        remedy="The message ends with its last output. Check memory and the process "
        "limit (ulimit -u), and that sys.executable is a Python that can import "
        "tpuref; TPUREF_EXECUTOR=lockstep needs no processes.",
        text="""
            import sys

            import tpuref as tf

            sys.executable = "/no/such/python"
            with tf.Session() as sess:
                sess.run(tf.tpu.replicate(lambda x: x + 1, [[1.0], [2.0]]))
        """,
        alone=True,
    ),
    Entry(
        codes.CORE_LOST,
        "A core process died",
        meaning="It was killed, ran out of memory, or crashed in native code. The "
        "other cores were stopped immediately; variables keep their values.",
        remedy="Run tf.tpu.initialize_system() to start new cores. SIGKILL often "
        "means that memory ran out: use smaller batches or fewer cores.",
        text="""
            import os
            import signal
            from pathlib import Path

            import tpuref as tf


            def kill_a_core(x):
                tasks = Path(f"/proc/{os.getpid()}/task")
                children = (tasks / str(os.getpid()) / "children").read_text()
                os.kill(int(children.split()[-1]), signal.SIGKILL)
                return x


            def computation(x):
                return tf.tpu.outside_compilation(
                    lambda: tf.py_func(kill_a_core, [x], tf.float32)
                )


            outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """,
        alone=True,
    ),
    Entry(
        codes.STALLED,
        "A run made no progress until its deadline",
        meaning="Replicas wait for others that do not arrive, or nothing makes "
        "progress. TPUREF_TIMEOUT is the deadline of every wait; the default is 120 "
        "s. A warning with the stacks of the missing cores comes earlier.",
        remedy="Find out where the missing replicas are; raise TPUREF_TIMEOUT if "
        "they only need longer.",
        text="""
            import tpuref as tf


            def computation(i):
                turns = tf.where(tf.equal(i, 1), 10**9, 0)
                turned = tf.while_loop(lambda k: k < turns, lambda k: k + 1, [0])
                return tf.tpu.cross_replica_sum(tf.cast(turned, tf.float32))


            outputs = tf.tpu.replicate(computation, [[0], [1]])
            with tf.config.override(timeout=1.0), tf.Session() as sess:
                sess.run(outputs)
        """,
        alone=True,
    ),
    Entry(
        codes.CORES_HELD,
        "Another run held the cores until the deadline",
        meaning="The cores run one computation at a time. A run of another thread "
        "used them for longer than TPUREF_TIMEOUT; the message names it.",
        remedy="Run one after the other, or raise TPUREF_TIMEOUT.",
        text="""
            import contextlib
            import threading
            import time

            import tpuref as tf


            def forever(x):
                return tf.while_loop(lambda x: x > 0, lambda x: x + 1, [x])


            def hold():
                with contextlib.suppress(tf.errors.AbortedError):
                    sess.run(long)


            long = tf.tpu.replicate(forever, [[1.0], [1.0]])
            short = tf.tpu.replicate(lambda x: x + 1, [[1], [2]])
            sess = tf.Session()
            sess.run(short)
            threading.Thread(target=hold, daemon=True).start()
            time.sleep(0.5)
            with tf.config.override(timeout=0.5):
                sess.run(short)
        """,
        alone=True,
    ),
    Entry(
        codes.CORES_BROKEN,
        "The cores were lost in an earlier run",
        meaning="A core died or did not answer in an earlier run, so these cores are "
        "not used again.",
        remedy="Run tf.tpu.initialize_system() to start new cores. Variables keep "
        "their values.",
        text="""
            import os
            import signal
            from pathlib import Path

            import tpuref as tf


            def kill_a_core(x):
                tasks = Path(f"/proc/{os.getpid()}/task")
                children = (tasks / str(os.getpid()) / "children").read_text()
                os.kill(int(children.split()[-1]), signal.SIGKILL)
                return x


            def computation(x):
                return tf.tpu.outside_compilation(
                    lambda: tf.py_func(kill_a_core, [x], tf.float32)
                )


            outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
            with tf.Session() as sess:
                try:
                    sess.run(outputs)
                except tf.errors.AbortedError:
                    sess.run(outputs)  # without tf.tpu.initialize_system()
        """,
        alone=True,
    ),
    Entry(
        codes.OUT_OF_SHARED_MEMORY,
        "The memory that the cores share is too small",
        meaning="Inputs, variables and results are in memory that the host and the "
        "cores share. It could not be allocated, or is too small for the values of a "
        "run.",
        remedy="Use smaller batches or fewer cores, give the container more memory, or "
        "raise the limit that the message names. /dev/shm is not used.",
        text="""
            import resource

            import tpuref as tf

            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            outputs = tf.tpu.replicate(lambda x: x + 1, [[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """,
        alone=True,
    ),
    Entry(
        codes.OUT_OF_MEMORY,
        "An operation needs more memory than is available",
        meaning="NumPy or XLA could not allocate memory for an operation. Variables "
        "that a compiled program changes lose their values; those of the other "
        "executors keep them.",
        remedy="Use smaller batches, fewer cores or narrower types.",
        text="""
            import tpuref as tf

            with tf.Session() as sess:
                sess.run(tf.tpu.rewrite(lambda n: tf.fill([n, n, n], 1.0), [1 << 16]))
        """,
    ),
)
