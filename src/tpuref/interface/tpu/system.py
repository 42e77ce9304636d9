"""Start and stop the TPU system."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.build import add_operation, apply, apply_all
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.device import DeviceName
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.tpu import SHUTDOWN


def initialize_system(embedding_config: Any = None, job: str | None = None) -> Tensor:
    """Return a tensor whose evaluation starts the TPU system.

    See 000_04abb9e9288042d8.txt, initialize_system.  The value is a serialized
    TopologyProto.  Evaluate it with ``Session.run``.  `embedding_config` is a message
    with ``SerializeToString()`` that describes embedding tables, or None for none.  It
    is recorded; CPU cores have no embedding hardware.  `job` is the job whose cores to
    start, or None if the cluster has one job.  It raises ValueError if `job` is not a
    job name, and at evaluation `tf.errors.InvalidArgumentError` if `job` is unknown, or
    None in a cluster of several jobs.

    Examples
    --------
    >>> with tf.config.override(topology="2x2x2"), tf.Session() as sess:
    ...     serialized = sess.run(tf.tpu.initialize_system())
    >>> tf.contrib.tpu.Topology(serialized=serialized).mesh_shape.tolist()
    [2, 2, 2]
    """
    embedding = _serialize(embedding_config)
    placement = _system_device(job)
    with get_default_graph().device(str(placement)):
        topology: Tensor = apply(
            "ConfigureDistributedTPU", job=placement.job, embedding_config=embedding
        )
    return topology


initialize_system_dyn = initialize_system


def shutdown_system(job: str | None = None) -> Operation | None:
    """Return an operation that stops the TPU system when it runs.

    See 000_04abb9e9288042d8.txt, shutdown_system.  Run it with a session.  In eager
    mode the system stops immediately.  `job` is the job whose cores to stop, or None
    if the cluster has one job.  It raises the errors of `initialize_system`.

    Examples
    --------
    >>> tf.tpu.shutdown_system().type
    'ShutdownDistributedTPU'
    """
    placement = _system_device(job)
    attrs = {"job": placement.job}
    if executing_eagerly():
        apply_all(SHUTDOWN.name, **attrs)
        return None
    with get_default_graph().device(str(placement)):
        return add_operation(SHUTDOWN, (), attrs, None)


shutdown_system_dyn = shutdown_system


def _system_device(job: str | None) -> DeviceName:
    """Return the device of a system operation: the enclosing scopes', with `job`."""
    prefix = "" if job is None else f"/job:{job}"
    device = DeviceName.parse(f"{prefix}/device:TPU_SYSTEM:0")
    return device.merged_into(get_default_graph().current_device)


def _serialize(embedding_config: Any) -> bytes:
    if embedding_config is None:
        return b""
    serialize = getattr(embedding_config, "SerializeToString", None)
    if not callable(serialize):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "tf.tpu.initialize_system: embedding_config must be None or a "
            "TPUEmbeddingConfiguration message (with SerializeToString), got "
            f"{type(embedding_config).__name__} {embedding_config!r}"
        )
    return bytes(serialize())
