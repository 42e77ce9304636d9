"""Build computations that run in parallel on the shards of their inputs."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.keywords import suggests_keywords
from tpuref.engine.graph.build import apply_all
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.eager import run_in_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.functions.joining import concat, stack
from tpuref.interface.tpu.computation_inputs import check_arity, check_replica_count
from tpuref.interface.tpu.device_assignment import DeviceAssignment
from tpuref.interface.tpu.infeed_queue import InfeedQueue
from tpuref.interface.tpu.replication import infeed_elements, replicate


@suggests_keywords
def shard(
    computation: Callable[..., Any],
    inputs: list[Any] | None = None,
    num_shards: int = 1,
    input_shard_axes: Sequence[int] | None = None,
    outputs_from_all_shards: bool | Sequence[bool] = True,
    output_shard_axes: Sequence[int] | None = None,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Split inputs into shards, run a computation on each, and join the outputs.

    000_04abb9e9288042d8.txt lists it, and describes it through batch_parallel.  Outputs
    of rank 0 are stacked to one dimension.  Without outputs, the result is a list with
    one NoOp.  Other parameters are those of `tf.tpu.replicate`.  It raises ValueError
    if `num_shards` is not from 1 to 65536, the number of axes differs from that of
    inputs or outputs, or a dimension does not exist or is not a multiple of
    `num_shards`.

    Parameters
    ----------
    computation
        A function that builds the computation for one shard.  Captured tensors are not
        split.
    inputs
        A list of tensors with at least rank 1, or None for none.
    num_shards
        The number of shards, at least 1.
    input_shard_axes
        The dimension to split for each input, 0 by default; its size must be a multiple
        of `num_shards`.
    outputs_from_all_shards
        Whether an output is joined from all shards (True) or returned from one of them;
        one bool for all outputs, or one for each.
    output_shard_axes
        The dimension to join for each output, 0 by default; without effect on outputs
        from one shard.

    Examples
    --------
    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tpu.shard(lambda part: part * 10.0, [x], num_shards=2))
    [array([10., 20., 30., 40.], dtype=float32)]
    """
    if executing_eagerly():
        return run_in_graph(  # type: ignore[no-any-return]
            lambda: shard(
                computation,
                inputs,
                num_shards,
                input_shard_axes,
                outputs_from_all_shards,
                output_shard_axes,
                infeed_queue,
                device_assignment,
                name,
            )
        )
    count = _shard_count(num_shards)
    tensors = _input_tensors(inputs)
    elements = infeed_elements("tf.tpu.shard", infeed_queue)
    check_arity(computation, len(tensors), elements, "tf.tpu.shard: computation")
    axes = _axes("input_shard_axes", input_shard_axes, len(tensors), "input")
    pieces = [
        _split(k, tensor, axis, count)
        for k, (tensor, axis) in enumerate(zip(tensors, axes, strict=True))
    ]
    by_shard = [[piece[s] for piece in pieces] for s in range(count)]
    results = replicate(computation, by_shard, infeed_queue, device_assignment)
    if isinstance(results[0], Operation):
        return results[:1]
    return _join_all(results, outputs_from_all_shards, output_shard_axes)


shard_dyn = shard


@suggests_keywords
def batch_parallel(
    computation: Callable[..., Any],
    inputs: list[Any] | None = None,
    num_shards: int = 1,
    infeed_queue: InfeedQueue | None = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Split inputs along dimension 0, run a computation on each, join the outputs.

    Parameters are those of `shard`.  See 000_04abb9e9288042d8.txt, batch_parallel.

    Examples
    --------
    >>> x = tf.constant(7)
    >>> def computation():
    ...     return x + 3
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tpu.batch_parallel(computation, num_shards=2))
    [array([10, 10], dtype=int32)]
    """
    return shard(
        computation,
        inputs,
        num_shards,
        infeed_queue=infeed_queue,
        device_assignment=device_assignment,
    )


batch_parallel_dyn = batch_parallel


def _shard_count(num_shards: Any) -> int:
    try:
        count = operator.index(num_shards)
    except TypeError:
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"tf.tpu.shard: num_shards must be an integer, got {num_shards!r}"
        ) from None
    if count < 1:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.tpu.shard: num_shards must be at least 1, got {count}"
        )
    check_replica_count("tf.tpu.shard: num_shards", count)
    return count


def _input_tensors(inputs: Any) -> list[Tensor]:
    if inputs is None:
        return []
    if not isinstance(inputs, list):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "tf.tpu.shard: inputs must be a list of tensors or None, got "
            f"{type(inputs).__name__} {inputs!r}"
        )
    return [convert_to_tensor(value) for value in inputs]


def _axes(
    argument: str, axes: Sequence[int] | None, count: int, noun: str
) -> list[int]:
    if axes is None:
        return [0] * count
    if not isinstance(axes, (list, tuple)):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"tf.tpu.shard: {argument} must be a list with one dimension per {noun}, "
            f"got {axes!r}"
        )
    if len(axes) != count:
        raise codes.WRONG_COUNT.value_error(
            f"tf.tpu.shard: {argument} has {len(axes)} entries, but there are {count} "
            f"{noun}s"
        )
    return [_axis(argument, axis) for axis in axes]


def _axis(argument: str, axis: Any) -> int:
    try:
        return operator.index(axis)
    except TypeError:
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"tf.tpu.shard: {argument} must contain integers, got {axis!r}"
        ) from None


def _split(position: int, tensor: Tensor, axis: int, count: int) -> list[Tensor]:
    """Split one input; the run checks a dynamic size."""
    rank = tensor.shape.ndims
    if rank is None:
        raise codes.UNEVEN_SHARDS.value_error(
            f"tf.tpu.shard: inputs[{position}] {tensor.describe()} has unknown rank; "
            "use set_shape"
        )
    if not -rank <= axis < rank:
        raise codes.UNEVEN_SHARDS.value_error(
            f"tf.tpu.shard: inputs[{position}] {tensor.describe()} has no dimension "
            f"{axis} to split; inputs must have at least rank 1"
        )
    axis %= rank
    size = tensor.shape.as_tuple()[axis]
    if size is not None and size % count:
        below = size - size % count
        nearest = f"{below} or {below + count}" if below else f"{count}"
        raise codes.UNEVEN_SHARDS.value_error(
            f"tf.tpu.shard: inputs[{position}] {tensor.describe()} has size {size} in "
            f"dimension {axis}, which is not divisible by num_shards = {count}; use "
            f"size {nearest}"
        )
    return apply_all("Split", tensor, axis=axis, sizes=(None,) * count)


def _join_all(
    results: list[Any],
    from_all: bool | Sequence[bool],
    output_axes: Sequence[int] | None,
) -> list[Tensor]:
    for value in results[0] if isinstance(results[0], (list, tuple)) else [None]:
        if not isinstance(value, Tensor):
            raise codes.INVALID_RESULT.type_error(
                "tf.tpu.shard: the computation must return a tensor, or a flat list of "
                f"tensors, got {results[0]!r}; tf.tpu.replicate keeps nested "
                "structures"
            )
    count = len(results[0])
    axes = _axes("output_shard_axes", output_axes, count, "output")
    choices = _choices(from_all, count)
    return [
        _join([result[k] for result in results], axes[k])
        if choices[k]
        else results[0][k]
        for k in range(count)
    ]


def _choices(from_all: Any, count: int) -> list[bool]:
    if isinstance(from_all, bool):
        return [from_all] * count
    if not isinstance(from_all, (list, tuple)):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "tf.tpu.shard: outputs_from_all_shards must be a bool or a list of bools, "
            f"got {from_all!r}"
        )
    if len(from_all) != count:
        raise codes.WRONG_COUNT.value_error(
            f"tf.tpu.shard: outputs_from_all_shards has {len(from_all)} entries, but "
            f"there are {count} outputs"
        )
    return [bool(choice) for choice in from_all]


def _join(tensors: list[Tensor], axis: int) -> Tensor:
    if tensors[0].shape.ndims == 0:
        return stack(tensors, axis=0)
    return concat(tensors, axis=axis)
