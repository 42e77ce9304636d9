"""Checks of tf.tpu.initialize_system and tf.tpu.shutdown_system with their twins."""

import glob
import inspect
import os
import time

import numpy as np

from ..clause import clause, expect_raises, expect_refused, same
from ..probes import fixed_system, initialised_topology
from .tf_tpu_page import function_clause


def doubled(tf, replicas):
    """Build a computation in that many replicas; return it and its values."""
    out = tf.tpu.replicate(lambda x: x * 2.0, [[float(i)] for i in range(replicas)])
    return out, [[2.0 * i] for i in range(replicas)]


def session_on(tf, jobs):
    """Return a session on a cluster of these jobs, all of which own cores."""
    addresses = {job: [f"localhost:{8470 + i}"] for i, job in enumerate(jobs)}
    cluster = tf.train.ClusterSpec(addresses)
    return tf.Session(config=tf.ConfigProto(cluster_def=cluster.as_cluster_def()))


@function_clause("tf.tpu.initialize_system/signature/parameter-order")
def initialize_parameter_order(tf, initialize_system):
    parameters = list(inspect.signature(initialize_system).parameters)
    same(parameters[:2], ["embedding_config", "job"])


@function_clause("tf.tpu.initialize_system/behaviour/system-usable-afterwards")
def initialize_makes_system_usable(tf, initialize_system):
    out, expected = doubled(tf, 4)
    with fixed_system(tf, cores=4) as session:
        session.run(tf.tpu.shutdown_system())
        topology = initialize_system()
        expect_raises(tf.errors.OpError, session.run, out)
        session.run(topology)
        same(session.run(out), expected)


@function_clause("tf.tpu.initialize_system/returns/string-tensor")
def initialize_returns_string_tensor(tf, initialize_system):
    topology = initialize_system()
    assert isinstance(topology, tf.Tensor), repr(topology)
    same(topology.dtype.name, "string")
    # The releases leave the static shape of the scalar unknown.
    assert topology.shape.ndims in (None, 0), topology.shape


@function_clause("tf.tpu.initialize_system/returns/serialized-topology")
def initialize_returns_serialized_topology(tf, initialize_system):
    for cores in (4, 16):
        with fixed_system(tf, cores=cores) as session:
            serialized = session.run(initialize_system())
        assert isinstance(serialized, bytes), repr(serialized)
        _require_topology(tf, serialized, cores)


def _require_topology(tf, serialized, cores):
    mesh_shape, (hosts,), (devices_per_host,), coordinates = _topology(serialized)
    same(hosts * devices_per_host, cores)
    rows = np.reshape(np.int32(coordinates), [-1, len(mesh_shape)])
    same(len(rows), cores)
    same(len(set(map(tuple, rows))), cores)
    assert (rows < mesh_shape).all(), f"{rows} in the mesh {mesh_shape}"
    topology = tf.contrib.tpu.Topology(serialized=serialized)
    same((topology.num_tasks, topology.num_tpus_per_task), (hosts, devices_per_host))
    same(topology.mesh_shape, mesh_shape)
    same(np.reshape(topology.device_coordinates, [-1, len(mesh_shape)]), rows)


def _topology(serialized):
    """Return the numbers in fields 1 to 4 of a serialized TopologyProto."""
    fields = {1: [], 2: [], 3: [], 4: []}
    rest = serialized
    while rest:
        key, rest = _varint(rest)
        if key % 8 == 2:
            size, rest = _varint(rest)
            packed, rest = rest[:size], rest[size:]
            while packed:
                value, packed = _varint(packed)
                fields[key // 8].append(value)
        else:
            value, rest = _varint(rest)
            fields[key // 8].append(value)
    return [fields[number] for number in (1, 2, 3, 4)]


def _varint(data):
    """Return the first number in ``data``, seven bits a byte, and what follows it."""
    value = 0
    for position, byte in enumerate(data):
        value |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:
            return value, data[position + 1 :]
    raise AssertionError("the message ends within a number")


@function_clause("tf.tpu.initialize_system/returns/evaluate-before-use")
def initialize_evaluate_before_use(tf, initialize_system):
    assignment = tf.tpu.experimental.DeviceAssignment
    topology_of = tf.contrib.tpu.Topology
    with fixed_system(tf, cores=4) as session:
        unevaluated = initialize_system()
        serialized = session.run(unevaluated)
    cores = np.zeros([1, 1, 3], np.int32)
    refused = (TypeError, ValueError)
    expect_raises(refused, topology_of, serialized=unevaluated)
    expect_raises(refused, assignment, unevaluated, cores)
    expect_raises(refused, assignment.build, unevaluated, num_replicas=4)
    built = assignment.build(topology_of(serialized=serialized), num_replicas=4)
    same(built.num_replicas, 4)


@function_clause("tf.tpu.initialize_system/args:embedding_config/none-no-embeddings")
def initialize_without_embeddings(tf, initialize_system):
    for topology in (initialize_system(), initialize_system(embedding_config=None)):
        same(topology.op.get_attr("embedding_config"), b"")


class _EmbeddingConfiguration:
    """Stands for a TPUEmbeddingConfiguration message."""

    def SerializeToString(self):
        return b"abc"


@function_clause("tf.tpu.initialize_system/args:embedding_config/proto")
def initialize_embedding_config(tf, initialize_system):
    topology = initialize_system(embedding_config=_EmbeddingConfiguration())
    same(topology.op.get_attr("embedding_config"), b"abc")
    both = initialize_system(_EmbeddingConfiguration(), "worker").op
    same(both.get_attr("embedding_config"), b"abc", call="with a job")
    assert "/job:worker" in both.device, both.device
    for config in ("abc", b"abc", {"tables": 1}):
        expect_raises(
            (AttributeError, TypeError), initialize_system, embedding_config=config
        )


@function_clause("tf.tpu.initialize_system/args:job/places-on-job")
def initialize_on_job(tf, initialize_system):
    _require_placed(tf, lambda **job: initialize_system(**job).op.device)


def _require_placed(tf, device_of):
    """Require that the device is on the job that is given, in any device scope."""
    for job in ("worker", "ps", "tpu_worker"):
        device = device_of(job=job)
        assert "/job:" + job in device.split("/device")[0], device
        with tf.device("/job:elsewhere"):
            device = device_of(job=job)
        assert "/job:" + job in device.split("/device")[0], device
    assert "/job:" not in device_of(), "a job was not asked for"


@function_clause("tf.tpu.initialize_system/args:job/none-single-job")
def initialize_single_job(tf, initialize_system):
    with fixed_system(tf, cores=1), session_on(tf, ["worker"]) as session:
        assert session.run(initialize_system()), "no topology came back"
        assert session.run(initialize_system(job="worker")), "no topology came back"


@function_clause("tf.tpu.initialize_system/args:job/none-several-jobs-error")
def initialize_several_jobs(tf, initialize_system):
    with fixed_system(tf, cores=1):
        for jobs in (["ps", "worker"], ["worker", "chief"], ["ps", "worker", "chief"]):
            with session_on(tf, jobs) as session:
                expect_refused(
                    tf.errors.InvalidArgumentError, session.run, initialize_system()
                )
                topology = session.run(initialize_system(job="worker"))
                assert topology, "no topology came back"
        with session_on(tf, ["ps", "worker", "chief"]) as session:
            _require_only_named_job_started(tf, session, initialize_system)


def _require_only_named_job_started(tf, session, initialize_system):
    """Require that of three systems that were stopped only the named one starts."""
    jobs = ["ps", "worker", "chief"]
    doubled = {}
    for job in jobs:
        with tf.device("/job:" + job):
            doubled[job] = tf.tpu.rewrite(lambda x: x * 2.0, [1.0])
        session.run(initialize_system(job=job))
        session.run(tf.tpu.shutdown_system(job=job))
    session.run(initialize_system(job="worker"))
    same(session.run(doubled["worker"]), [2.0])
    for job in ("ps", "chief"):
        expect_raises(tf.errors.OpError, session.run, doubled[job])


@clause("tf.tpu.initialize_system_dyn/signature/parameter-order")
def initialize_dyn_parameter_order(tf):
    initialize_parameter_order(tf, tf.tpu.initialize_system_dyn)


@function_clause("tf.tpu.shutdown_system/signature/job-only")
def shutdown_job_only(tf, shutdown_system):
    same(list(inspect.signature(shutdown_system).parameters), ["job"])


@function_clause("tf.tpu.shutdown_system/behaviour/stops-running-system")
def shutdown_stops_running_system(tf, shutdown_system):
    out, expected = doubled(tf, 2)
    afterwards = [
        out,
        tf.tpu.rewrite(lambda x: x * 2.0, [1.0]),
        tf.tpu.shard(lambda: tf.ones([1]), num_shards=2),
    ]
    children_before = _live_children()
    with initialised_topology(tf, cores=2) as (session, _):
        same(session.run(out), expected)
        core_processes = _live_children() - children_before
        session.run(shutdown_system())
        deadline = time.time() + 5
        while core_processes & _live_children() and time.time() < deadline:
            time.sleep(0.01)
        remaining = sorted(core_processes & _live_children())
        same(remaining, [], call="core processes still there")
        for fetches in afterwards:
            error = expect_raises(tf.errors.OpError, session.run, fetches)
            assert "initiali" in str(error), str(error)
        session.run(tf.tpu.initialize_system())
        same(session.run(out), expected)


def _live_children():
    """Return the ids of the live children of this process; none where /proc is not."""
    children = set()
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as stream:
                state, parent = stream.read().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue  # it ended meanwhile
        if int(parent) == os.getpid() and state != "Z":
            children.add(int(path.split("/")[2]))
    return children


@function_clause("tf.tpu.shutdown_system/returns/operation")
def shutdown_returns_operation(tf, shutdown_system):
    operation = shutdown_system()
    assert isinstance(operation, tf.Operation), repr(operation)
    same(len(operation.outputs), 0)


@function_clause("tf.tpu.shutdown_system/args:job/places-on-job")
def shutdown_on_job(tf, shutdown_system):
    _require_placed(tf, lambda **job: shutdown_system(**job).device)


@function_clause("tf.tpu.shutdown_system/args:job/none-single-job")
def shutdown_single_job(tf, shutdown_system):
    with fixed_system(tf, cores=1), session_on(tf, ["worker"]) as session:
        session.run(tf.tpu.initialize_system())
        same(session.run(shutdown_system()), None)
        session.run(tf.tpu.initialize_system())


@function_clause("tf.tpu.shutdown_system/args:job/none-several-jobs-error")
def shutdown_several_jobs(tf, shutdown_system):
    with fixed_system(tf, cores=1):
        for jobs in (["ps", "worker"], ["worker", "chief"], ["ps", "worker", "chief"]):
            with session_on(tf, jobs) as session:
                session.run(tf.tpu.initialize_system(job="worker"))
                expect_refused(
                    tf.errors.InvalidArgumentError, session.run, shutdown_system()
                )
                same(session.run(shutdown_system(job="worker")), None)
                session.run(tf.tpu.initialize_system(job="worker"))
        with session_on(tf, ["ps", "worker"]) as session:
            _require_named_job_stopped(tf, session, shutdown_system)


def _require_named_job_stopped(tf, session, shutdown_system):
    """Require that of two systems the one of the named job stops, and no other."""
    doubled = {}
    for job in ("ps", "worker"):
        with tf.device("/job:" + job):
            doubled[job] = tf.tpu.rewrite(lambda x: x * 2.0, [1.0])
    for stopped, other in (("ps", "worker"), ("worker", "ps")):
        for job in (stopped, other):
            session.run(tf.tpu.initialize_system(job=job))
        session.run(shutdown_system(job=stopped))
        same(session.run(doubled[other]), [2.0])
        expect_raises(tf.errors.OpError, session.run, doubled[stopped])
        session.run(shutdown_system(job=other))


@clause("tf.tpu.shutdown_system_dyn/signature/job-only")
def shutdown_dyn_job_only(tf):
    shutdown_job_only(tf, tf.tpu.shutdown_system_dyn)
