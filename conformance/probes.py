"""What a subject may offer beyond the documented names, to observe a run.

Every probe looks for the attribute that it needs and raises
:class:`~.clause.Unavailable` when the subject does not have it.
"""

import contextlib
import importlib

import numpy as np

from .clause import NotInstalled, Unavailable

#: Systems of tpuref's pool by their cores, the one used last at the end.
_KEPT = {}
_KEPT_SYSTEMS = 4


def _attribute(root, path, purpose):
    """Follow the dotted ``path`` from ``root``, or raise Unavailable."""
    value = root
    for name in path.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            raise Unavailable(f"no tf.{path}, which is needed to {purpose}") from None
    return value


@contextlib.contextmanager
def with_optional_packages():
    """Run a check that needs packages which the subject may do without."""
    try:
        yield
    except ImportError as error:
        raise NotInstalled(str(error).partition("\n")[0]) from error


def host_session(tf):
    """Return a session for operations on the host, beside others in the graph.

    A release without a TPU must be told to place only what is fetched.
    """
    if not hasattr(tf, "GraphOptions"):
        return tf.Session()
    options = tf.GraphOptions(place_pruned_graph=True)
    return tf.Session(config=tf.ConfigProto(graph_options=options))


def eager_mode(tf):
    """Return a context manager in which operations run at once."""
    return _attribute(tf, "eager_execution", "run operations at once in a block")()


@contextlib.contextmanager
def version_2(tf):
    """Yield the module as programs for TensorFlow 2 see it: operations run at once."""
    if hasattr(tf, "version_2"):
        with tf.version_2() as module:
            yield module
        return
    with eager_mode(tf):
        yield tf


@contextlib.contextmanager
def initialised_topology(tf, **settings):
    """Yield a session on a fixed and initialised system, and its topology bytes.

    ``settings`` go to ``tf.config.override``: ``cores=4``, ``topology="2x2x2"``,
    ``padding_visible=True``, ``check_replicas=True``.
    """
    with sized(tf, **settings), tf.Session() as sess:
        topology = sess.run(tf.tpu.initialize_system())
        try:
            yield sess, topology
        finally:
            sess.run(tf.tpu.shutdown_system())


@contextlib.contextmanager
def sized(tf, **settings):
    """Let systems have this size while the block runs."""
    if hasattr(tf, "judged_module"):
        if set(settings) != {"cores"}:
            raise Unavailable(f"a subject file gives cores, not {sorted(settings)}")
        size = tf.cores(settings["cores"])
    else:
        purpose = "fix the size of the system; a subject file can say how to"
        size = _attribute(tf, "config.override", purpose)(**settings)
    with size:
        yield


@contextlib.contextmanager
def fixed_system(tf, cores, **settings):
    """Yield a session on an initialised system of exactly ``cores`` cores."""
    if not hasattr(getattr(tf, "tpu", None), "initialize_system"):
        with sized(tf, cores=cores, **settings), tf.Session() as sess:
            yield sess
        return
    if getattr(getattr(tf, "config", None), "executor", None) == "pool":
        size = sized(tf, cores=cores, **settings)
        with size, _lent_system(cores), tf.Session() as sess:
            yield sess
        return
    with initialised_topology(tf, cores=cores, **settings) as (sess, _):
        yield sess


@contextlib.contextmanager
def _lent_system(cores):
    """Let a system of tpuref that stays from clause to clause be the system.

    To start its processes takes longer than most clauses. What such a system is
    started with and what ends it are clauses of their own.
    """
    system = importlib.import_module("tpuref.engine.runtime.system")
    lent = _KEPT.pop(cores, None) or system.System(system.LOCAL_JOB)
    while len(_KEPT) >= _KEPT_SYSTEMS:
        _KEPT.pop(next(iter(_KEPT))).close()
    _KEPT[cores] = lent
    with system.LOCAL.with_system(lent):
        lent.initialize(keep_sound=True)
        yield


def fed(tf, shape, *arrays):
    """Return a tensor of this static shape for each array, and what to feed for them.

    Where functions compute at once, the arrays are the tensors.
    """
    if not hasattr(tf, "placeholder"):
        return [tf.constant(array) for array in arrays], None
    tensors = [tf.placeholder(array.dtype, shape) for array in arrays]
    return tensors, dict(zip(tensors, arrays))


def effect(tf, build):
    """Return names and types of the operations that ``build()`` makes, or values."""
    if not hasattr(tf, "Graph"):
        with tf.Session() as session:
            return session.run(build())
    with tf.Graph().as_default() as graph:
        build()
        return [(one.name, one.type) for one in graph.get_operations()]


def initialise_variables(tf, session):
    """Give the variables of the graph their initial values, if the module has any."""
    if hasattr(tf, "global_variables_initializer"):
        session.run(tf.global_variables_initializer())


def traced(tf, sess, fetches, feed_dict=None):
    """Run ``fetches``; return their values and the core trace of the run.

    The trace is a tuple of records with the fields operation, replica,
    logical_core, core (index of the physical core in the system), task and device.
    """
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    values = sess.run(fetches, feed_dict, options=options, run_metadata=metadata)
    trace = getattr(metadata, "core_trace", None)
    if trace is None:
        raise Unavailable("tf.RunMetadata has no core_trace, so cores cannot be told")
    return values, tuple(trace)


def core_of_each_replica(tf, sess, fetches):
    """Run ``fetches``; return the physical core of every replica, in replica order.

    Each replica must have used a single core.
    """
    _, trace = traced(tf, sess, fetches)
    cores = {}
    for record in trace:
        if record.core is not None and record.core >= 0:
            cores.setdefault(record.replica, set()).add(record.core)
    for replica, used in sorted(cores.items()):
        assert len(used) == 1, f"replica {replica} used the cores {sorted(used)}"
    return [used.pop() for _, used in sorted(cores.items())]


def static_shape(tensor):
    """Return the sizes of a tensor as a list, from a TensorShape or a plain tuple."""
    shape = tensor.shape
    return shape.as_list() if hasattr(shape, "as_list") else list(shape)


def padded_inputs(tf):
    """Return the padding records of the replicated inputs in the default graph.

    A record has the fields operation, index, name, true_shapes (one per replica),
    padded_shape, forced_by, waste and compilations.
    """
    return tuple(_attribute(tf, "padding_report", "see padded shapes")().inputs)


def padded_shapes(tf):
    """Return the padded shape of every input in the padding report, as tuples."""
    return [tuple(record.padded_shape) for record in padded_inputs(tf)]


def infeed_queue(tf, tuple_types, tuple_shapes):
    """Return an infeed queue of elements with these types and global shapes."""
    queue = _attribute(tf, "contrib.tpu.InfeedQueue", "feed through an infeed")
    return queue(tuple_types=tuple_types, tuple_shapes=tuple_shapes)


def device_coordinates(tf, serialized):
    """Return the coordinates of all cores of a serialized topology, one row each.

    The row number is the index of the physical core in the system.
    """
    topology = _attribute(tf, "contrib.tpu.Topology", "read a topology")
    coordinates = np.asarray(topology(serialized=serialized).device_coordinates)
    return coordinates.reshape(-1, coordinates.shape[-1])


def assign_cores(tf, serialized, cores):
    """Return a DeviceAssignment that puts replica i on the physical core cores[i].

    An entry may be a list of cores, one per logical core of the replica.
    """
    build = _attribute(tf, "tpu.experimental.DeviceAssignment", "assign cores")
    topology = _attribute(tf, "contrib.tpu.Topology", "read a topology")
    rows = device_coordinates(tf, serialized)
    chosen = np.asarray(cores).reshape(len(cores), -1)
    return build(topology(serialized=serialized), rows[chosen])


def recorded_xla_options(tf):
    """Return the XLA options that the operations of the default graph record.

    They are one attribute, or in TensorFlow one attribute for each option.
    """
    values = []
    for operation in tf.get_default_graph().get_operations():
        for attribute in ("xla_options", "use_spmd_for_xla_partitioning"):
            with contextlib.suppress(ValueError, AttributeError):
                values.append(operation.get_attr(attribute))
    if not values:
        raise Unavailable("no operation of the graph records the XLA options")
    return values
