"""Settings, the installation, and the TPU system."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_SETTING,
        "A setting has an invalid value",
        meaning="An attribute of tf.config, its TPUREF_ variable, or max_message_bytes "
        "of a server or session is out of range or not one of the choices.",
        remedy="Use a value that the message lists. Variables are read when tpuref "
        "is imported; `tpuref doctor` shows those that are set.",
        text="""
            import tpuref as tf

            tf.config.cores = 0
        """,
    ),
    Entry(
        codes.UNKNOWN_SETTING,
        "There is no such setting",
        meaning="tf.config has no attribute of this name.",
        remedy="Use a setting that the message lists.",
        text="""
            import tpuref as tf

            tf.config.core = 8
        """,
    ),
    Entry(
        codes.INVALID_HOSTS,
        "The settings of several hosts do not fit together",
        meaning="A coordinator, the number of hosts and the number of this host are "
        "needed together, only the executor on XLA runs on several hosts, they are "
        "joined before JAX is used, and each has the same number of cores.",
        remedy="Set what the message names, or none of them for one host. "
        "`tpuref launch` sets them for hosts on one machine.",
        text="""
            import tpuref as tf

            with tf.config.override(executor="xla", num_hosts=4), tf.Session() as sess:
                sess.run(tf.tpu.initialize_system())
        """,
        alone=True,
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
        text="""
            import tpuref as tf

            tf.config.executor, tf.config.timeout = "xla", 1.0
            tf.config.coordinator = "localhost:9"
            tf.config.num_hosts, tf.config.host = 2, 1
            with tf.Session() as sess:
                sess.run(tf.tpu.initialize_system())
        """,
        needs=("jax",),
        alone=True,
    ),
    Entry(
        codes.HOST_LOST,
        "One of several hosts is lost",
        meaning="A host has died, failed, or ended its script while others go on. A "
        "step needs all of them, so they end within tf.config.host_timeout too.",
        remedy="See what the named host wrote, and start all hosts again. A program "
        "that saves checkpoints, as MonitoredTrainingSession and estimators do, "
        "continues from the last one.",
        text="""
            import os
            import time

            import tpuref as tf

            tf.config.executor, tf.config.num_hosts, tf.config.cores = "xla", 2, 2
            tf.config.coordinator = f"localhost:{20000 + os.getpid() % 10000}"
            tf.config.host = 0 if os.fork() else 1
            outputs = tf.tpu.replicate(tf.identity, [[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(tf.tpu.initialize_system())
                if tf.config.host == 1:
                    os._exit(1)
                time.sleep(1)
                sess.run(outputs)
        """,
        needs=("jax",),
        alone=True,
    ),
    Entry(
        codes.KERNELS_NOT_COMPILED,
        "The compiled kernels are missing",
        meaning="TPUREF_KERNELS=cython requires the compiled kernels, but this "
        "installation has none: it was built with TPUREF_PURE=1.",
        remedy="Reinstall with a C compiler and Python's headers, or set "
        "TPUREF_KERNELS to auto or python. Results are the same, bit for bit.",
        text="""
            import importlib.util
            import os

            os.environ["TPUREF_KERNELS"] = "cython"
            importlib.util.find_spec = lambda name: None  # as if nothing were compiled

            import tpuref.kernels
        """,
        alone=True,
    ),
    Entry(
        codes.EXTRA_NOT_INSTALLED,
        "An optional package is missing",
        meaning="Looking up Cloud TPUs by name needs the extra gcp; sessions on a "
        "server need the extra grpc; checkpoints, summaries, examples and flags need "
        "the extra training; paths such as gs:// need the extra files; the executor on "
        "XLA needs the extra xla.",
        remedy="Install it as the message says, for example "
        "`pip install 'tpuref[grpc]'`.",
        text="""
            import sys

            import tpuref as tf

            sys.modules["grpc"] = None  # as if it were not installed
            tf.Session("grpc://localhost:8470")
        """,
        document="004_1530f51430af0bea.txt",
        alone=True,
    ),
    Entry(
        codes.GRAPHVIZ_NOT_INSTALLED,
        "Drawing a graph as SVG needs Graphviz",
        meaning="Graphviz (its program dot) lays out the drawing of a graph. "
        "Drawings of meshes do not need it.",
        remedy="Install it (`apt install graphviz`), or write its input with "
        "`drawing.save('graph.dot')`.",
        text="""
            import os

            import tpuref as tf

            total = tf.constant(1.0) + 2.0
            os.environ["PATH"] = ""  # as if Graphviz were not installed
            tf.get_default_graph().draw(total).svg()
        """,
        alone=True,
    ),
    Entry(
        codes.SYSTEM_SHUT_DOWN,
        "The TPU system was shut down",
        meaning="A replicated computation ran after tf.tpu.shutdown_system(). A "
        "system starts by itself before the first initialisation, but not after a "
        "shutdown.",
        remedy="Run tf.tpu.initialize_system() again first. The message shows the "
        "line of the shutdown.",
        text="""
            import tpuref as tf

            doubled = tf.tpu.replicate(lambda x: x * 2, [[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(tf.tpu.initialize_system())
                sess.run(tf.tpu.shutdown_system())
                sess.run(doubled)
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.SYSTEM_USED_FROM_WITHIN,
        "The TPU system is used by a computation that runs on it",
        meaning="A replicated computation, or a host function that it calls, starts "
        "or stops the system it runs on.",
        remedy="Start and stop the system outside tf.tpu.replicate, in separate runs.",
        text="""
            import tpuref as tf

            inside = tf.tpu.replicate(lambda: tf.tpu.initialize_system())
            with tf.Session() as sess:
                sess.run(inside)
        """,
    ),
    Entry(
        codes.UNKNOWN_JOB,
        "The cluster has no such job, or has several",
        meaning="The requested job does not exist in the cluster, or no job was "
        "given and there are several.",
        remedy="Pass one of the names in the message as job=, or build the "
        "computation under tf.device('/job:...').",
        text="""
            import tpuref as tf

            with tf.Session() as sess:
                sess.run(tf.tpu.initialize_system(job="worker"))
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.TOPOLOGY_NOT_EVALUATED,
        "The topology is still a tensor",
        meaning="tf.tpu.initialize_system() returns a tensor. The bytes that "
        "describe the topology exist only after a session evaluates it.",
        remedy="Pass the result of sess.run(tf.tpu.initialize_system()).",
        text="""
            import tpuref as tf

            topology = tf.tpu.initialize_system()
            tf.contrib.tpu.device_assignment(topology, num_replicas=2)
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.WRONG_ARGUMENT_TYPE,
        "An argument has a wrong type",
        meaning="For example, a number instead of a function, a list or a device "
        "assignment.",
        remedy="The message names the function and the argument, what it accepts, "
        "and what it got.",
        text="""
            import tpuref as tf

            tf.tpu.replicate(lambda: 1, device_assignment=[[[0, 0, 0]]])
        """,
    ),
)
