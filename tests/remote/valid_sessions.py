"""Requests of real sessions, with all kinds of programs, and what a server answers."""

import time
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.base.error_codes import PATTERN
from tpuref.engine.graph.lowering import lower
from tpuref.engine.remote.programs import put_program
from tpuref.engine.remote.served_session import ServedSession, Shared
from tpuref.engine.remote.tensors import arrays_of, put_arrays
from tpuref.engine.remote.wire import Reply, Request

from .streams import opening

SUM = tf.VariableAggregation.SUM


def variables_and_branches():
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable([1.0, 2.0], name="v")
    chosen = tf.cond(tf.reduce_sum(x) > 0, lambda: v * 2, lambda: x)
    with tf.control_dependencies([v.initializer]):
        grown = tf.assign_add(v, tf.identity(x))
    return [grown, chosen, tf.gather(v, [1])], {x: np.ones(2, np.float32)}


def loops():
    n = tf.placeholder(tf.int32, [])

    def turn(i, total):
        inner = tf.while_loop(lambda k: k < i, lambda k: k + 1, [0])
        return i + 1, total + tf.cast(inner, tf.float32)

    turned = tf.while_loop(lambda i, _: i < n, turn, [0, 1.0], maximum_iterations=9)
    return list(turned), {n: np.int32(4)}


def replicas():
    x = tf.placeholder(tf.float32, [None])
    scale = tf.constant(3.0)

    def computation(a, b):
        total = tf.tpu.cross_replica_sum(tf.reduce_sum(a), [[0, 1]])
        picked = tf.cond(total > 0, lambda: total * scale, lambda: total)
        return picked, tf.concat([a, tf.random_uniform([2], seed=3)], 0), b

    outputs = tf.tpu.replicate(
        computation, [[x, 1], [x * 2, 2]], maximum_shapes=[tf.TensorShape([4]), None]
    )
    return [t for replica in outputs for t in replica], {x: np.ones(3, np.float32)}


def placed_replicas():
    topology = tf.contrib.tpu.Topology.for_cores(4)
    assignment = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=2)

    def computation(a):
        with tf.device(tf.tpu.core(1)):
            moved = a + 1
        summed = tf.tpu.cross_replica_sum(moved)
        return tf.tpu.outside_compilation(
            lambda b: tf.py_func(lambda c: c, [b], tf.float32), summed
        )

    outputs = tf.tpu.replicate(
        computation, [[1.0], [2.0]], device_assignment=assignment
    )
    return [t for replica in outputs for t in replica], {}


def towers():
    resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
    strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
    with strategy.scope():
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())

        def step(x):
            context = tf.get_tower_context()
            own = x + tf.cast(tf.constant(context.tower_id), tf.float32)
            both = context.merge_call(lambda d, a: sum(d.unwrap(a)), own)
            return own * tf.reduce_sum(both)

        values = strategy.call_for_each_tower(step, tf.constant([1.0, 2.0, 3.0]))
        total = strategy.reduce(SUM, values, values)
        copied = strategy.broadcast(tf.reduce_sum(w))
        fetched = [*strategy.unwrap(total), *strategy.unwrap(copied)]
    return [*fetched, *[v.initializer for v in tf.global_variables()]], {}


def arithmetic():
    x = tf.placeholder(tf.float32, [2, 3])
    with tf.control_dependencies([tf.Assert(tf.reduce_all(x > -9), [x])]):
        y = tf.matmul(x, x, transpose_b=True)
    fetched = [
        tf.reshape(y, [4]),
        tf.argmax(x, 1),
        tf.nn.softmax(x),
        tf.one_hot([0, 2], 3),
        *tf.split(x, 3, axis=1),
        tf.stack([x, x], axis=1),
        tf.where(x > 0, x, -x),
        x[:, 1:],
        tf.cast(x, tf.int32),
        tf.transpose(x),
        tf.constant(["a", "b"]),
        tf.fill([2, 2], 7),
        tf.range(5),
        *tf.nn.top_k(x, 2),
        tf.random_normal([3], seed=1),
    ]
    return fetched, {x: np.ones([2, 3], np.float32)}


def host_and_system():
    x = tf.placeholder(tf.float32, [2])
    called = tf.py_func(lambda a: a, [x], tf.float32)
    dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).batch(2)
    following = dataset.make_one_shot_iterator().get_next()
    return [called, following, tf.tpu.initialize_system()], {x: np.zeros(2, np.float32)}


PROGRAMS = (variables_and_branches, loops, replicas, placed_replicas, towers)
PROGRAMS += (arithmetic, host_and_system)


def sessions():
    """The requests of a session for each of the programs."""
    return [_requests(build) for build in PROGRAMS]


def _requests(build):
    with tf.Graph().as_default():
        fetched, fed = build()
        tensors = [f for f in fetched if isinstance(f, tf.Tensor)]
        operations = [f for f in fetched if isinstance(f, tf.Operation)]
        program = lower(tensors, operations, list(fed))
    return [opening(), _run(program, list(fed.values()))]


def _run(program, inputs):
    request = Request(number=2)
    request.run.program = 1
    request.run.traced = True
    put_program(request.run.bundle, program)
    put_arrays(request.run.inputs, [np.asarray(value) for value in inputs])
    return request


RUN_SECONDS = 2.0
"""How long a run may take that is given up then: a loop may have become endless."""


def served(contents):
    """Give requests to a session and return its replies, up to the first host call."""
    shared = Shared("worker", 1 << 20)
    session = ServedSession(shared, "test")
    for content in contents:
        session.receive(content)
    found: list[Any] = []
    _collect(session, found, RUN_SECONDS, "host_call")
    session.end()
    _collect(session, found, 60)
    assert not session._runs, "the run does not end"
    shared.cluster.reset()
    return found


def _collect(session, found, seconds, end=""):
    """Collect replies until nothing runs, or there is a reply of a kind."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        over = not session._runs
        while not session._outbox.empty():
            content = session._outbox.get()
            found += [] if content is None else [Reply.FromString(content)]
        if over or end in [reply.WhichOneof("kind") for reply in found]:
            return
        time.sleep(0.0005)


def is_typed(reply):
    """Whether a reply is no error, or one that tpuref means."""
    kind = reply.WhichOneof("kind")
    if kind not in ("failed", "refused"):
        arrays_of(reply.done.outputs)
        return kind in ("opened", "done", "host_call", "devices", "alive")
    fault = getattr(reply, kind)
    if fault.builtin:
        return PATTERN.search(fault.message) is not None
    return bool(fault.code != tf.errors.INTERNAL)
