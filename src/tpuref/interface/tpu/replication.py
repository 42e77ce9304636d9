"""Build computations that run once on every replica."""

from collections.abc import Callable, Sequence
from typing import Any, overload

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.callsite import user_site
from tpuref.base.keywords import suggests_keywords
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.build import add_operation, apply, apply_operation, parameter
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.device import REPLICATED_CORE
from tpuref.engine.graph.eager import run_in_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.region import REPLICATED, Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.tpu import REPLICA_INPUT, REPLICATE, Replication
from tpuref.engine.runtime.log import advice
from tpuref.interface.tpu.computation_inputs import (
    Inputs,
    check_arity,
    check_dtypes,
    merged_spec,
    replica_inputs,
    single_inputs,
)
from tpuref.interface.tpu.computation_outputs import Outputs, documented_outputs
from tpuref.interface.tpu.device_assignment import DeviceAssignment
from tpuref.interface.tpu.infeed_queue import InfeedQueue
from tpuref.interface.tpu.padding import Padding, padded_spec, plan_padding
from tpuref.interface.tpu.shard_context import tpu_shard_context
from tpuref.interface.tpu.xla_options import XLAOptions, checked_options

_log = advice()


@overload
def replicate(
    computation: Callable[..., Tensor],
    inputs: Any = None,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
    maximum_shapes: Any = None,
    padding_spec: Any = None,
    xla_options: XLAOptions | None = None,
) -> list[tuple[Tensor]]: ...
@overload
def replicate(
    computation: Callable[..., Any],
    inputs: Any = None,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
    maximum_shapes: Any = None,
    padding_spec: Any = None,
    xla_options: XLAOptions | None = None,
) -> list[Any]: ...
@suggests_keywords
def replicate(
    computation: Callable[..., Any],
    inputs: Any = None,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
    maximum_shapes: Any = None,
    padding_spec: Any = None,
    xla_options: XLAOptions | None = None,
) -> list[Any]:
    """Build an operation that runs a computation once on every replica.

    See 000_04abb9e9288042d8.txt and 003_0632b6613bf28dbc.txt, replicate.  It raises
    ValueError if replicas differ in the number, structure, dtype or shape of inputs,
    the number of inputs does not fit the parameters of `computation`, static dimensions
    or the structure do not fit `maximum_shapes`, the result breaks the rules above, or
    computations are nested, and InvalidArgumentError at evaluation if a needed device
    assignment is missing.

    Parameters
    ----------
    computation
        A function that builds the computation.  It is called once, with tensors that
        represent the inputs of every replica.
    inputs
        A list with the inputs of each replica, indexed ``[replica][input]``; None for
        one replica without inputs.  All replicas have the same number.  An input may be
        a nested structure of values that convert to tensors; a nested list of numbers
        arrives as a nested list of scalars (use `tf.convert_to_tensor` to make it one
        tensor).  A tensor instead of a replica's list counts as a list with one input.
    infeed_queue
        A queue whose elements follow the inputs as additional arguments.
    device_assignment
        The cores that each replica runs on.  Optional for replicas of one core if there
        is one replica, or as many as the system has cores.
    name
        Deprecated; has no effect.
    maximum_shapes
        The shape to which each input is padded on all replicas, in the structure of
        ``inputs[0]``; None or -1 means the largest size among the replicas.  A single
        shape is enough for a single input.  The computation sees the true sizes.
    padding_spec
        A `PaddingSpec`: how to pad dimensions of unknown size.
    xla_options
        An `XLAOptions`; recorded, without effect.

    Returns
    -------
    list
        The result of `computation` for each replica, with that replica's tensors, but:
        a NoOp that depends on the computation, if it returned None or only operations;
        a tuple with one element, if it returned a single value; without the operations
        after the tensors of a flat list.

    Examples
    --------
    >>> def computation(x):
    ...     x = x + 1
    ...     return tf.math.reduce_mean(x)
    >>> x = tf.convert_to_tensor([1., 2., 3.])
    >>> y = tf.convert_to_tensor([4., 5., 6.])
    >>> out = tf.compat.v1.tpu.replicate(computation, inputs=[[x], [y]])
    >>> with tf.Session() as sess:
    ...     [float(mean) for (mean,) in sess.run(out)]
    [3.0, 6.0]
    """
    if executing_eagerly():
        return run_in_graph(  # type: ignore[no-any-return]
            lambda: replicate(
                computation,
                inputs,
                infeed_queue,
                device_assignment,
                name,
                maximum_shapes,
                padding_spec,
                xla_options,
            )
        )
    _check_not_nested("tf.tpu.replicate")
    elements = infeed_elements("tf.tpu.replicate", infeed_queue)
    _check_device_assignment(device_assignment)
    options = checked_options(xla_options)
    replicas = replica_inputs(inputs)
    check_dtypes(replicas)
    check_arity(computation, len(replicas[0]), elements)
    if infeed_queue is not None:
        if maximum_shapes is not None:
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.tpu.replicate: maximum_shapes cannot be used together with "
                "infeed_queue"
            )
        infeed_queue.set_number_of_shards(len(replicas))
    padding = plan_padding(replicas, maximum_shapes, padding_spec)
    graph = get_default_graph()
    region, outputs = _build_body(graph, computation, replicas, infeed_queue, padding)
    operation = _add_operation(
        graph, region, replicas, padding, device_assignment, options
    )
    return _results(graph, operation, outputs, len(replicas))


replicate_dyn = replicate


@overload
def rewrite(
    computation: Callable[..., Tensor],
    inputs: Any = None,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> tuple[Tensor]: ...
@overload
def rewrite(
    computation: Callable[..., Any],
    inputs: Any = None,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> Any: ...
@suggests_keywords
def rewrite(
    computation: Callable[..., Any],
    inputs: Any = None,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> Any:
    """Build an operation that runs a computation once on the TPU system.

    See 000_04abb9e9288042d8.txt, rewrite.  `computation` is a function that builds the
    computation from one tensor per input.  It may return a list of tensors followed by
    operations.  `inputs` is a list with one entry per parameter, each a tensor, a value
    that converts, or a nested structure of those; None for none.  Other parameters are
    those of `replicate`.  The result is that of `computation`, with the exceptions of
    `replicate`.  Evaluating any part of it runs every operation that `computation`
    built.  It raises ValueError if the number of inputs does not fit `computation`, an
    operation comes before a tensor, or computations are nested.

    Examples
    --------
    >>> with tf.Session() as sess:
    ...     [float(y) for y in sess.run(tf.tpu.rewrite(lambda x: x * x, [3.0]))]
    [9.0]
    """
    own = single_inputs("tf.tpu.rewrite", inputs)
    elements = infeed_elements("tf.tpu.rewrite", infeed_queue)
    check_arity(computation, len(own), elements, "tf.tpu.rewrite: computation")
    return replicate(computation, [own], infeed_queue, device_assignment)[0]


rewrite_dyn = rewrite


def infeed_elements(function: str, infeed_queue: Any) -> int:
    """Return the number of arguments that come from the infeed."""
    if infeed_queue is None:
        return 0
    if not isinstance(infeed_queue, InfeedQueue):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: infeed_queue must be a tf.contrib.tpu.InfeedQueue or "
            f"None, got {infeed_queue!r}"
        )
    return infeed_queue.number_of_tuple_elements


def _check_not_nested(function: str) -> None:
    region = get_default_graph().region
    outer = None if region is None else region.replicated
    if outer is not None:
        raise codes.NESTED_COMPUTATION.value_error(
            f"{function}: TPU computations cannot be nested; this one is inside "
            f"{outer.name!r}, built at {outer.site}"
        )


def _check_device_assignment(device_assignment: Any) -> None:
    if device_assignment is not None and not isinstance(
        device_assignment, DeviceAssignment
    ):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "tf.tpu.replicate: device_assignment must be a DeviceAssignment or None, "
            f"got {type(device_assignment).__name__} {device_assignment!r}; create one "
            "with tf.contrib.tpu.device_assignment(topology, num_replicas=...)"
        )


def _build_body(
    graph: Graph,
    computation: Callable[..., Any],
    replicas: Inputs,
    infeed_queue: InfeedQueue | None,
    padding: Padding | None,
) -> tuple[Region, Outputs]:
    """Call the computation once, with placeholders for the inputs of a replica."""
    cluster = graph.unique_name("cluster")
    region = Region(REPLICATED, cluster, graph.region, user_site(), len(replicas))
    shards = tpu_shard_context(len(replicas))
    with shards, graph.in_region(region), graph.in_tower(None):
        region.parameters = [
            parameter(REPLICA_INPUT, spec, f"input{k}", k)
            for k, spec in enumerate(_input_specs(replicas, padding))
        ]
        arguments = nest.pack_sequence_as(replicas[0], region.parameters)
        if infeed_queue is not None:
            arguments = [*arguments, *infeed_queue.generate_dequeue_op(0)]
        returned = computation(*arguments)
        outputs = documented_outputs(returned)
    if returned is None and not any(op.has_effect for op in region.operations):
        _log.warning(
            "the computation replicated at %s returns nothing and changes no variable: "
            "evaluating it gives None. Return the tensors that it computes [%s]",
            region.site,
            codes.NO_RESULT,
        )
    region.results = list(outputs.tensors)
    _check_devices(region)
    return region, outputs


_DEVICES = (None, "CPU", "TPU", "TPU_SYSTEM", REPLICATED_CORE)


def _check_devices(region: Region) -> None:
    for operation in region.operations:
        if operation.placement.kind not in _DEVICES:
            raise codes.UNKNOWN_DEVICE.value_error(
                f"tf.tpu.replicate: there is no device {operation.device!r}; "
                f"{operation.describe()} is placed on it. Use "
                "tf.device(tf.tpu.core(n)), or no device"
            )
        for block in operation.blocks:
            _check_devices(block)


def _input_specs(replicas: Inputs, padding: Padding | None) -> list[TensorSpec]:
    paths = [path for path, _ in nest.flatten_with_paths(replicas[0])]
    columns = list(zip(*[nest.flatten(own) for own in replicas], strict=True))
    return [
        merged_spec(path, column)
        if padding is None or padding[k][1] is None
        else padded_spec(column)
        for k, (path, column) in enumerate(zip(paths, columns, strict=True))
    ]


def _add_operation(
    graph: Graph,
    region: Region,
    replicas: Inputs,
    padding: Padding | None,
    assignment: DeviceAssignment | None,
    options: XLAOptions,
) -> Operation:
    replication = Replication(
        replicas=len(replicas),
        inputs_per_replica=len(region.parameters),
        padding=padding,
        assignment=None if assignment is None else _coordinates(assignment),
        topology=None if assignment is None else assignment.topology.serialized(),
        job=graph.current_device.job,
        xla_options=tuple(options),
    )
    inputs = [leaf for own in replicas for leaf in nest.flatten(own)]
    name = f"{region.name}/{REPLICATE.name}"
    return add_operation(REPLICATE, inputs, replication.attrs(), name, [region])


def _coordinates(
    assignment: DeviceAssignment,
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple(
        tuple(tuple(int(c) for c in core) for core in replica)
        for replica in assignment.core_assignment
    )


def _results(
    graph: Graph, operation: Operation, outputs: Outputs, replicas: int
) -> list[Any]:
    if outputs.only_operations:
        return [_no_op(graph, operation, replica) for replica in range(replicas)]
    count = len(outputs.tensors)
    return [
        nest.pack_sequence_as(
            outputs.structure,
            _name_outputs(operation.outputs[r * count : (r + 1) * count], r),
        )
        for r in range(replicas)
    ]


def _no_op(graph: Graph, operation: Operation, replica: int) -> Operation:
    with graph.control_dependencies([operation]):
        return apply_operation("NoOp", name=f"shard_{replica}")


def _name_outputs(tensors: Sequence[Tensor], replica: int) -> list[Tensor]:
    return [
        apply("Identity", tensor, name=f"output_{k}_shard_{replica}")
        for k, tensor in enumerate(tensors)
    ]
