"""The TPU system, its core processes and its hosts."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.SYSTEM_SHUT_DOWN,
        "The TPU system was shut down",
        meaning="A replicated computation ran after tf.tpu.shutdown_system(). A "
        "system starts by itself before the first initialisation, but not after a "
        "shutdown.",
        remedy="Run tf.tpu.initialize_system() again first. The message shows the "
        "line of the shutdown.",
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.CORE_NOT_STARTED,
        "A core process did not start",
        meaning="The pool starts a Python process for each core. One of them could "
        "not be started, ended immediately, or did not start in time.",
        remedy="The message ends with its last output. Check memory and the process "
        "limit (ulimit -u), and that sys.executable is a Python that can import "
        "tpuref; TPUREF_EXECUTOR=lockstep needs no processes.",
    ),
    Entry(
        codes.CORE_LOST,
        "A core process is lost",
        meaning="It was killed, ran out of memory or crashed, in this run or an "
        "earlier one, or its computation failed while the host waited for its "
        "outfeed. The other cores are stopped; variables keep their values.",
        remedy="Run tf.tpu.initialize_system() to start new cores. SIGKILL often "
        "means that memory ran out: use smaller batches or fewer cores.",
        text="""
            import threading
            import time

            import tpuref as tf

            step = tf.tpu.rewrite(
                lambda x: tf.contrib.tpu.outfeed_enqueue(1 // x),
                [tf.placeholder(tf.int32, [], name="x")],
            )
            taken = tf.contrib.tpu.outfeed_dequeue(tf.int32, [], device_ordinal=0)
            with tf.Session() as sess:

                def compute():
                    time.sleep(0.3)
                    try:
                        sess.run(step, {"x:0": 0})
                    except tf.errors.InvalidArgumentError:
                        pass

                threading.Thread(target=compute).start()
                sess.run(taken)
        """,
        replaces="E043 E159",
    ),
    Entry(
        codes.STALLED,
        "A run made no progress until its deadline",
        meaning="Replicas wait for others that do not arrive, or another thread's run "
        "held the cores. TPUREF_TIMEOUT is the deadline of every wait; the default is "
        "120 s. A warning with the stacks of the missing cores comes earlier.",
        remedy="Find out where the missing replicas are, run one computation after "
        "the other, or raise TPUREF_TIMEOUT if they only need longer.",
        replaces="E260",
    ),
    Entry(
        codes.OUT_OF_MEMORY,
        "There is not enough memory",
        meaning="An operation, or the memory that host and cores share, could not be "
        "allocated, or is too small for the values of a run. Variables that a "
        "compiled program changes lose their values; the other executors keep them.",
        remedy="Use smaller batches, fewer cores or narrower types, give the "
        "container more memory, or raise the limit that the message names. /dev/shm "
        "is not used.",
        text="""
            import tpuref as tf

            with tf.Session() as sess:
                sess.run(tf.tpu.rewrite(lambda n: tf.fill([n, n, n], 1.0), [1 << 16]))
        """,
        replaces="E045",
    ),
    Entry(
        codes.HOST_FUNCTION_RAISED,
        "Your function raised an exception on the host",
        meaning="A function called by tf.py_func or by a dataset raised an exception, "
        "which is the cause of the error. With several processes, the others end "
        "their run too, because the replicas belong together.",
        remedy="Fix the function; look at the output of the process that runs the "
        "named replicas. ValueError and TypeError become InvalidArgumentError, others "
        "UnknownError.",
        replaces="E264",
    ),
    Entry(
        codes.HOSTS_NOT_JOINED,
        "Several hosts do not meet",
        meaning="Host 0 does not run or cannot be reached at the coordinator's "
        "address, not all hosts arrive within tf.config.timeout, or a host belongs to "
        "another job or has another version of tpuref.",
        remedy="Start all hosts, with the same coordinator, which is an address of "
        "host 0 and a port that its firewall lets through. TPUREF_TIMEOUT gives them "
        "more time.",
    ),
    Entry(
        codes.HOST_LOST,
        "One of several hosts is lost",
        meaning="A host has died, failed, or ended its script while others go on. A "
        "step needs all of them, so they end within tf.config.host_timeout too.",
        remedy="See what the named host wrote, and start all hosts again. A program "
        "that saves checkpoints, as MonitoredTrainingSession and estimators do, "
        "continues from the last one.",
    ),
    Entry(
        codes.PROCESSES_DIFFER,
        "Processes that work together run different programs",
        meaning="Processes joined by jax.distributed compile one program together, "
        "and here programs, inputs or variables differ. Or client and server are "
        "different releases.",
        remedy="Run the same script with the same arguments everywhere, let no "
        "computation depend on the process, and install the same release of tpuref on "
        "all sides.",
        replaces="E076",
    ),
)
