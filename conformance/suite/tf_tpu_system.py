"""Checks of tf.tpu.initialize_system and tf.tpu.shutdown_system with their twins."""

import glob
import inspect
import os
import time

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import fixed_system
from .tf_tpu_page import SEED, function_clause, run_every_check


def doubled(tf, replicas):
    """Build a computation in that many replicas; return it and its values."""
    out = tf.tpu.replicate(lambda x: x * 2.0, [[float(i)] for i in range(replicas)])
    return out, [[2.0 * i] for i in range(replicas)]


def session_on(tf, jobs):
    """Return a session on a cluster of these jobs, all of which own cores."""
    addresses = {job: [f"localhost:{8470 + i}"] for i, job in enumerate(jobs)}
    cluster = tf.train.ClusterSpec(addresses)
    return tf.Session(config=tf.ConfigProto(cluster_def=cluster.as_cluster_def()))


@function_clause(
    "tf.tpu.initialize_system/name/exists",
    tier="surface",
    says="The namespace offers initialize_system.",
)
def initialize_exists(tf, initialize_system):
    assert callable(initialize_system)


@function_clause(
    "tf.tpu.initialize_system/signature/parameter-order",
    tier="surface",
    says="Its parameters are embedding_config and then job.",
    doubt="Later releases append keywords: these two first.",
)
def initialize_parameter_order(tf, initialize_system):
    parameters = list(inspect.signature(initialize_system).parameters)
    same(parameters[:2], ["embedding_config", "job"])


@function_clause(
    "tf.tpu.initialize_system/signature/default-embedding-config",
    tier="surface",
    says="embedding_config may be omitted and is then None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def initialize_default_embedding_config(tf, initialize_system):
    parameters = inspect.signature(initialize_system).parameters
    same(parameters["embedding_config"].default, None)


@function_clause(
    "tf.tpu.initialize_system/signature/default-job",
    tier="surface",
    says="job may be omitted and is then None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def initialize_default_job(tf, initialize_system):
    same(inspect.signature(initialize_system).parameters["job"].default, None)


@function_clause(
    "tf.tpu.initialize_system/behaviour/system-usable-afterwards",
    tier="run",
    says="Evaluating its result makes the distributed system ready for computations.",
    doubt=(
        "Whether a program must call it is not said: after a shutdown it must, and "
        "building the call starts nothing."
    ),
)
def initialize_makes_system_usable(tf, initialize_system):
    out, expected = doubled(tf, 4)
    with fixed_system(tf, cores=4) as session:
        session.run(tf.tpu.shutdown_system())
        topology = initialize_system()
        expect_raises(tf.errors.OpError, session.run, out)
        session.run(topology)
        same(session.run(out), expected)


@function_clause(
    "tf.tpu.initialize_system/returns/string-tensor",
    tier="build",
    says="It returns a scalar string Tensor.",
)
def initialize_returns_string_tensor(tf, initialize_system):
    topology = initialize_system()
    assert isinstance(topology, tf.Tensor), repr(topology)
    same(topology.dtype.name, "string")
    # The releases leave the static shape of the scalar unknown.
    assert topology.shape.ndims in (None, 0), topology.shape


@function_clause(
    "tf.tpu.initialize_system/returns/serialized-topology",
    tier="run",
    says="The evaluated string is a serialised TopologyProto describing the system.",
    doubt="No page documents the message: the public one, with its field numbers.",
)
def initialize_returns_serialized_topology(tf, initialize_system):
    with fixed_system(tf, cores=4) as session:
        serialized = session.run(initialize_system())
    assert isinstance(serialized, bytes), repr(serialized)
    mesh_shape, (hosts,), (devices_per_host,), coordinates = _topology(serialized)
    same([hosts, devices_per_host], [1, 4])
    rows = np.reshape(np.int32(coordinates), [-1, len(mesh_shape)])
    same(len(rows), 4)
    same(len(set(map(tuple, rows))), 4)
    assert (rows < mesh_shape).all(), f"{rows} in the mesh {mesh_shape}"
    topology = tf.contrib.tpu.Topology(serialized=serialized)
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


@function_clause(
    "tf.tpu.initialize_system/returns/evaluate-before-use",
    tier="run",
    says="The topology has to be fetched with Session.run before anything can use it.",
    doubt="The exception is not named: TypeError or ValueError.",
)
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


@function_clause(
    "tf.tpu.initialize_system/args:embedding_config/none-no-embeddings",
    tier="build",
    says="With embedding_config None no hardware embedding tables are available.",
    doubt=(
        "No documented call would use the tables: the attribute of the operation is "
        "looked at."
    ),
)
def initialize_without_embeddings(tf, initialize_system):
    for topology in (initialize_system(), initialize_system(embedding_config=None)):
        same(topology.op.get_attr("embedding_config"), b"")


class _EmbeddingConfiguration:
    """Stands for a TPUEmbeddingConfiguration message."""

    def SerializeToString(self):
        return b"abc"


@function_clause(
    "tf.tpu.initialize_system/args:embedding_config/proto",
    tier="build",
    says="A TPUEmbeddingConfiguration message describing the tables is accepted.",
    doubt=(
        "Cores on CPUs have no embedding hardware: the message is recorded, anything "
        "else refused."
    ),
)
def initialize_embedding_config(tf, initialize_system):
    topology = initialize_system(embedding_config=_EmbeddingConfiguration())
    same(topology.op.get_attr("embedding_config"), b"abc")
    for config in ("abc", b"abc", {"tables": 1}):
        expect_raises(
            (AttributeError, TypeError), initialize_system, embedding_config=config
        )


@function_clause(
    "tf.tpu.initialize_system/args:job/places-on-job",
    tier="build",
    says=(
        "job is the job part of a device specification and selects where the system "
        "is initialised."
    ),
)
def initialize_on_job(tf, initialize_system):
    for job in ("worker", "ps", "tpu_worker"):
        device = initialize_system(job=job).op.device
        assert "/job:" + job in device.split("/device")[0], device
    assert "/job:" not in initialize_system().op.device, "a job was not asked for"


@function_clause(
    "tf.tpu.initialize_system/args:job/none-single-job",
    tier="run",
    says="job None is fine when the cluster has only one job.",
)
def initialize_single_job(tf, initialize_system):
    with fixed_system(tf, cores=2), session_on(tf, ["worker"]) as session:
        assert session.run(initialize_system()), "no topology came back"
        assert session.run(initialize_system(job="worker")), "no topology came back"


@function_clause(
    "tf.tpu.initialize_system/args:job/none-several-jobs-error",
    tier="run",
    says="job None is an error when the cluster has more than one job.",
    doubt=(
        "An error will be returned, of no named type: InvalidArgumentError at "
        "evaluation, as the graph does not know the cluster."
    ),
)
def initialize_several_jobs(tf, initialize_system):
    with fixed_system(tf, cores=2):
        for jobs in (["ps", "worker"], ["worker", "chief"], ["ps", "worker", "chief"]):
            with session_on(tf, jobs) as session:
                expect_raises(
                    tf.errors.InvalidArgumentError, session.run, initialize_system()
                )
                topology = session.run(initialize_system(job="worker"))
                assert topology, "no topology came back"


@clause(
    "tf.tpu.initialize_system_dyn/name/exists",
    seed=SEED,
    tier="surface",
    says="The namespace offers initialize_system_dyn.",
    doubt=(
        "The suffix marks an overload of the binding: a second name of the same "
        "function."
    ),
)
def initialize_dyn_exists(tf):
    assert callable(tf.tpu.initialize_system_dyn)


@clause(
    "tf.tpu.initialize_system_dyn/signature/parameter-order",
    seed=SEED,
    tier="surface",
    says="It takes embedding_config and job in this order.",
)
def initialize_dyn_parameter_order(tf):
    initialize_parameter_order(tf, tf.tpu.initialize_system_dyn)


@clause(
    "tf.tpu.initialize_system_dyn/behaviour/same-as-plain",
    seed=SEED,
    tier="run",
    says=(
        "It builds the same initialisation, with the same rules for both arguments "
        "and the same result."
    ),
)
def initialize_dyn_same_as_plain(tf):
    run_every_check(tf, "tf.tpu.initialize_system", tf.tpu.initialize_system_dyn)


@function_clause(
    "tf.tpu.shutdown_system/name/exists",
    tier="surface",
    says="The namespace offers shutdown_system.",
)
def shutdown_exists(tf, shutdown_system):
    assert callable(shutdown_system)


@function_clause(
    "tf.tpu.shutdown_system/signature/job-only",
    tier="surface",
    says="Its only parameter is job.",
)
def shutdown_job_only(tf, shutdown_system):
    same(list(inspect.signature(shutdown_system).parameters), ["job"])


@function_clause(
    "tf.tpu.shutdown_system/signature/default-job",
    tier="surface",
    says="job may be left out and is then None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def shutdown_default_job(tf, shutdown_system):
    same(inspect.signature(shutdown_system).parameters["job"].default, None)


@function_clause(
    "tf.tpu.shutdown_system/behaviour/stops-running-system",
    tier="run",
    says="Running the result shuts the distributed system down.",
    doubt=(
        "What later computations do is not said: they fail until the system is "
        "initialised again."
    ),
)
def shutdown_stops_running_system(tf, shutdown_system):
    out, expected = doubled(tf, 2)
    afterwards = [
        out,
        tf.tpu.rewrite(lambda x: x * 2.0, [1.0]),
        tf.tpu.shard(lambda: tf.ones([1]), num_shards=2),
    ]
    children_before = _live_children()
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), expected)
        core_processes = _live_children() - children_before
        session.run(shutdown_system())
        _require_gone(core_processes)
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


def _require_gone(processes):
    deadline = time.time() + 5
    while processes & _live_children() and time.time() < deadline:
        time.sleep(0.01)
    same(sorted(processes & _live_children()), [], call="core processes still there")


@function_clause(
    "tf.tpu.shutdown_system/returns/operation",
    tier="build",
    says="It returns something a session can run.",
    doubt="The page prints no Returns entry: an Operation, as in all releases.",
)
def shutdown_returns_operation(tf, shutdown_system):
    operation = shutdown_system()
    assert isinstance(operation, tf.Operation), repr(operation)
    same(len(operation.outputs), 0)


@function_clause(
    "tf.tpu.shutdown_system/args:job/places-on-job",
    tier="build",
    says=(
        "job is the job part of a device specification and selects which system is "
        "stopped."
    ),
)
def shutdown_on_job(tf, shutdown_system):
    for job in ("worker", "ps", "tpu_worker"):
        device = shutdown_system(job=job).device
        assert "/job:" + job in device.split("/device")[0], device
    assert "/job:" not in shutdown_system().device, "a job was not asked for"


@function_clause(
    "tf.tpu.shutdown_system/args:job/none-single-job",
    tier="run",
    says="job None is fine in a cluster with one job.",
)
def shutdown_single_job(tf, shutdown_system):
    with fixed_system(tf, cores=2), session_on(tf, ["worker"]) as session:
        session.run(tf.tpu.initialize_system())
        same(session.run(shutdown_system()), None)
        session.run(tf.tpu.initialize_system())


@function_clause(
    "tf.tpu.shutdown_system/args:job/none-several-jobs-error",
    tier="run",
    says="job None is an error in a cluster with several jobs.",
    doubt=(
        "Type and moment of the error are open: InvalidArgumentError at evaluation, "
        "as for initialize_system."
    ),
)
def shutdown_several_jobs(tf, shutdown_system):
    with fixed_system(tf, cores=2):
        for jobs in (["ps", "worker"], ["worker", "chief"], ["ps", "worker", "chief"]):
            with session_on(tf, jobs) as session:
                session.run(tf.tpu.initialize_system(job="worker"))
                expect_raises(
                    tf.errors.InvalidArgumentError, session.run, shutdown_system()
                )
                same(session.run(shutdown_system(job="worker")), None)
                session.run(tf.tpu.initialize_system(job="worker"))


@clause(
    "tf.tpu.shutdown_system_dyn/name/exists",
    seed=SEED,
    tier="surface",
    says="The namespace offers shutdown_system_dyn.",
    doubt=(
        "The suffix marks an overload of the binding: a second name of the same "
        "function."
    ),
)
def shutdown_dyn_exists(tf):
    assert callable(tf.tpu.shutdown_system_dyn)


@clause(
    "tf.tpu.shutdown_system_dyn/signature/job-only",
    seed=SEED,
    tier="surface",
    says="Its only parameter is job.",
)
def shutdown_dyn_job_only(tf):
    shutdown_job_only(tf, tf.tpu.shutdown_system_dyn)


@clause(
    "tf.tpu.shutdown_system_dyn/behaviour/same-as-plain",
    seed=SEED,
    tier="run",
    says="It shuts the system down under the same job rules.",
)
def shutdown_dyn_same_as_plain(tf):
    run_every_check(tf, "tf.tpu.shutdown_system", tf.tpu.shutdown_system_dyn)
