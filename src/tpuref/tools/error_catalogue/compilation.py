"""What the executor on XLA cannot compile."""

from __future__ import annotations

import textwrap

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

_JOINED = """
import os
import socket
import subprocess
import sys

import jax
import tpuref as tf

# The script starts itself a second time, and shows the output of the first process.
process = int(os.environ.get("PROCESS", "0"))
if process == 0:
    with socket.create_server(("127.0.0.1", 0)) as server:
        os.environ["COORDINATOR"] = "127.0.0.1:%d" % server.getsockname()[1]
    subprocess.Popen(
        [sys.executable, __file__],
        env={**os.environ, "PROCESS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(os.environ["COORDINATOR"], 2, process)
tf.config.executor = "xla"
"""


def _on_two_processes(text: str) -> str:
    """Return a program whose second process runs the same."""
    return _JOINED + textwrap.dedent(text)


ENTRIES = (
    Entry(
        codes.XLA_DEVICES,
        "JAX does not have the devices that are asked for",
        meaning="tf.config.xla_devices, or TPUREF_XLA_DEVICES, is a number of CPU "
        "devices or a platform, and JAX does not have them. JAX makes its CPU devices "
        "when it starts, which is when anything first runs on it.",
        remedy="Set TPUREF_XLA_DEVICES before the program starts, or "
        "tf.config.xla_devices before anything runs on JAX. For a platform, install "
        "the JAX of that platform.",
        text="""
            import jax
            import tpuref as tf

            jax.devices()
            outputs = tf.tpu.replicate(lambda x: x + 1.0, [[1.0], [2.0]])
            with tf.config.override(executor="xla", xla_devices=1000):
                with tf.Session() as sess:
                    sess.run(outputs)
        """,
        needs=("jax",),
    ),
    Entry(
        codes.XLA_HOSTS,
        "Each process runs the same number of replicas",
        meaning="The processes that jax.distributed has joined share the replicas of "
        "a computation equally, and their number does not divide the number of "
        "replicas.",
        remedy="Run the script on another number of hosts, or with another topology.",
        text=_on_two_processes("""
            outputs = tf.tpu.replicate(lambda x: x + 1.0, [[1.0], [2.0], [3.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """),
        needs=("jax",),
        alone=True,
    ),
    Entry(
        codes.XLA_PROGRAMS_DIFFER,
        "All processes run the same program",
        meaning="The processes that jax.distributed has joined compile one program "
        "together, and here they have different ones, or inputs or variables that "
        "differ in shape or type.",
        remedy="Run the same script with the same arguments everywhere, and let no "
        "computation depend on the process.",
        text=_on_two_processes("""
            def computation(x):
                return x + 1.0 if process == 0 else tf.sin(x)

            outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """),
        needs=("jax",),
        alone=True,
    ),
    Entry(
        codes.XLA_HOST_FAILED,
        "A part on the host failed in another process",
        meaning="A host function of a replica raised an error, and its process shows "
        "it. The other processes end their run too, because the replicas belong "
        "together.",
        remedy="Look at the output of the process that runs the replicas of the "
        "message.",
        text=_on_two_processes("""
            def check(x):
                if process == 1:
                    raise ValueError("no")
                return x

            def computation(x):
                y = tf.py_func(check, [x], tf.float32)
                y.set_shape([])
                return y + 1.0

            outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """),
        needs=("jax",),
        alone=True,
    ),
    Entry(
        codes.XLA_DATA_DEPENDENT,
        "A compiled program has fixed shapes",
        meaning="The size of a value depends on other values: what tf.where finds, the "
        "distinct values of tf.unique, a shape computed from data, branches whose "
        "results differ in shape, or the result of a host function without "
        "set_shape. XLA compiles programs for fixed shapes.",
        remedy="Run the program on the pool or in lockstep. Or keep the size: mask "
        "values instead of selecting them, or tell the shape of a host function's "
        "result with set_shape.",
        text="""
            import tpuref as tf

            x = tf.constant([1.0, 2.0])
            outputs = tf.tpu.replicate(lambda x: tf.where(x > 1.0), [[x]])
            with tf.config.override(executor="xla"), tf.Session() as sess:
                sess.run(outputs)
        """,
        needs=("jax",),
    ),
    Entry(
        codes.XLA_SHAPES_DIFFER,
        "The replicas of a compiled program have inputs of equal shape",
        meaning="XLA compiles one program for all replicas, and their inputs differ in "
        "shape. This is also so where inputs are padded: the computation sees their "
        "true sizes.",
        remedy="Run the program on the pool or in lockstep, give each replica an input "
        "of the same shape, or show the computation the padded inputs with "
        "tf.config.padding_visible = True.",
        text="""
            import tpuref as tf

            x = [tf.constant([1.0]), tf.constant([1.0, 2.0])]
            outputs = tf.tpu.replicate(
                tf.reduce_sum,
                [[x[0]], [x[1]]],
                maximum_shapes=[tf.TensorShape([None])],
            )
            with tf.config.override(executor="xla"), tf.Session() as sess:
                sess.run(outputs)
        """,
        needs=("jax",),
    ),
    Entry(
        codes.XLA_TEXT,
        "XLA has no text",
        meaning="A string is an input or a result of the computation, or of an "
        "operation in it that does not run on the host.",
        remedy="Run the program on the pool or in lockstep, or keep strings within one "
        "host function or tf.tpu.outside_compilation.",
        text="""
            import tpuref as tf

            outputs = tf.tpu.replicate(tf.identity, [["a"], ["b"]])
            with tf.config.override(executor="xla"), tf.Session() as sess:
                sess.run(outputs)
        """,
        needs=("jax",),
    ),
    Entry(
        codes.XLA_SEVERAL_CORES,
        "A compiled replica has one logical core",
        meaning="An operation is placed on a logical core other than 0, with "
        "tf.tpu.core. The executor on XLA runs no model parallel replicas.",
        remedy="Run the program on the pool or in lockstep, or leave out tf.tpu.core.",
        text="""
            import tpuref as tf

            def computation(x):
                with tf.device(tf.tpu.core(1)):
                    return x + 1.0

            topology = tf.contrib.tpu.Topology.for_cores(2)
            assignment = tf.contrib.tpu.device_assignment(
                topology, computation_shape=[1, 1, 2], num_replicas=1
            )
            outputs = tf.tpu.replicate(
                computation, [[1.0]], device_assignment=assignment
            )
            with tf.config.override(executor="xla", cores=2), tf.Session() as sess:
                sess.run(outputs)
        """,
        needs=("jax",),
    ),
    Entry(
        codes.XLA_OPERATION,
        "XLA cannot run an operation",
        meaning="The operation has no counterpart in JAX, or is used in a way that has "
        "none, such as a variable that gets its first value in a branch.",
        remedy="Run the program on the pool or in lockstep, or move the operation to "
        "the host with tf.tpu.outside_compilation.",
        text="""
            import tpuref as tf

            w = tf.get_variable("w", shape=[], dtype=tf.float32)

            def computation(x):
                return tf.cond(x > 1.0, lambda: tf.assign(w, x), lambda: x)

            outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
            with tf.config.override(executor="xla"), tf.Session() as sess:
                sess.run(outputs)
        """,
        needs=("jax",),
    ),
)
