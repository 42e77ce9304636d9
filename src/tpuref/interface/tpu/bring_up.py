"""Start and stop the TPU system of a resolver immediately, in either mode."""

from typing import Any

from tpuref.engine.graph.connection import connect_eager_mode
from tpuref.engine.graph.default import begin_eagerly, executing_eagerly
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.session import Session
from tpuref.engine.graph.target import target_of
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.interface.tpu.system import initialize_system, shutdown_system


def initialize_tpu_system(cluster_resolver: Any = None) -> Topology:
    """Start the TPU system, and return its topology.

    Without a resolver, the system is that of this process.

    Examples
    --------
    >>> with tf.eager_execution(), tf.config.override(topology="2x2x1"):
    ...     topology = tf.tpu.experimental.initialize_tpu_system()
    >>> topology.mesh_shape.tolist()
    [2, 2, 1]
    """
    begin_eagerly()
    target, job = _system_of(cluster_resolver, "initialize_tpu_system")
    if executing_eagerly():
        connect_eager_mode(target, "tf.tpu.experimental.initialize_tpu_system")
    with Graph().as_default(), Session(target) as session:
        return Topology(serialized=session.run(initialize_system(job=job)))


def shutdown_tpu_system(cluster_resolver: Any = None) -> None:
    """Stop the TPU system that `initialize_tpu_system` started.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     topology = tf.tpu.experimental.initialize_tpu_system()
    ...     tf.tpu.experimental.shutdown_tpu_system()
    """
    target, job = _system_of(cluster_resolver, "shutdown_tpu_system")
    with Graph().as_default(), Session(target) as session:
        session.run(shutdown_system(job=job))


def _system_of(resolver: Any, function: str) -> tuple[str, str | None]:
    """Return the target and the job of a resolver's system."""
    if resolver is None:
        return "", None
    target = target_of(resolver, f"tf.tpu.experimental.{function}")
    if target in ("", "local"):
        return "", None
    named = getattr(resolver, "get_job_name", None)
    return target, named() if callable(named) else None


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Run eager operations on the cluster of a resolver from now on.

    `cluster_spec_or_resolver` is a cluster resolver, where ``""`` and ``"local"`` mean
    this process, or a `tf.train.ClusterSpec`, whose first task is used.  It raises
    TypeError for other arguments, and `tf.errors.UnavailableError` if no server
    answers.

    Examples
    --------
    >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("local")
    >>> with tf.eager_execution():
    ...     tf.config.experimental_connect_to_cluster(resolver)
    """
    begin_eagerly()
    target: Any = cluster_spec_or_resolver
    tasks = getattr(target, "as_dict", None)
    if callable(tasks):
        addresses = [a for job in tasks().values() for a in job]
        target = f"grpc://{addresses[0]}" if addresses else ""
    connect_eager_mode(target, "tf.config.experimental_connect_to_cluster")
