"""Build loops that run many steps on the cores in one evaluation."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import as_list, instance_of
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.functions import control_flow, dependencies
from tpuref.interface.tpu.computation_inputs import check_arity, single_inputs
from tpuref.interface.tpu.infeed_queue import InfeedQueue
from tpuref.interface.tpu.shard_context import get_tpu_context


def while_loop(
    condition: Callable[..., Any],
    body: Callable[..., Any],
    inputs: Sequence[Any] | None = None,
    infeed_queue: InfeedQueue | None = None,
    name: str | None = None,
) -> Any:
    """Repeat `body` on the core while `condition` holds.

    It is ``tf.contrib.tpu.while_loop`` of releases 1.11 to 1.15.  Return the final
    values; a single one without a list.  Without loop variables, the result is a tensor
    that is available when the loop ends.  It raises TypeError if a function does not
    take that many arguments (also a ValueError), or the types of the loop variables
    change.  It raises ValueError if `body` returns an operation before a tensor, or
    None; if a shape changes; if there is an `infeed_queue` outside of a computation.

    `condition` is a function of the loop variables that returns a scalar bool tensor.
    `body` is a function of the loop variables, followed by the elements of
    `infeed_queue`, from which every iteration dequeues one tuple; it returns their next
    values, followed by any operations.  `inputs` are the initial values of the loop
    variables, which convert to tensors; None for none.  `name` is deprecated and has no
    effect.

    Examples
    --------
    >>> def computation(x):
    ...     return tf.contrib.tpu.while_loop(lambda x: x < 100, lambda x: x * 2, [x])
    >>> with tf.Session() as sess:
    ...     [int(x) for x in sess.run(tf.tpu.rewrite(computation, [3]))]
    [192]
    """
    loop = "tf.contrib.tpu.while_loop"
    initial = [convert_to_tensor(value) for value in single_inputs(loop, inputs)]
    elements = _number_of_elements(loop, infeed_queue)
    check_arity(body, len(initial), elements, f"{loop}: body")
    check_arity(condition, len(initial), 0, f"{loop}: condition")
    return _build_loop(loop, condition, body, initial, infeed_queue)


def repeat(
    n: Any,
    body: Callable[..., Any],
    inputs: Any = None,
    infeed_queue: InfeedQueue | None = None,
    name: str | None = None,
) -> Any:
    """Run `body` on the core `n` times.

    It is ``tf.contrib.tpu.repeat`` of releases 1.11 to 1.15.  Return the final values,
    always in a list.  Without loop variables, the result is the operation of the loop.
    `n` is the number of iterations: an integer or a scalar int32 tensor.  `body`,
    `infeed_queue` and `name` are as for `while_loop`.  `inputs` are the initial values
    of the loop variables, or the only one; None for none.

    Examples
    --------
    >>> def computation(x):
    ...     return tf.contrib.tpu.repeat(10, lambda x: x * 2, [x])
    >>> with tf.Session() as sess:
    ...     [int(x) for x in sess.run(tf.tpu.rewrite(computation, [3]))]
    [3072]
    """
    loop = "tf.contrib.tpu.repeat"
    initial = [] if inputs is None else as_list(inputs)
    elements = _number_of_elements(loop, infeed_queue)
    check_arity(body, len(initial), elements, f"{loop}: body")
    last = as_list(
        _build_loop(
            loop,
            lambda turn, *values: turn < n,
            lambda turn, *values: [turn + 1, *as_list(body(*values))],
            [convert_to_tensor(value) for value in [0, *initial]],
            infeed_queue,
        )
    )
    return last[1:] if initial else last[0].op


def _number_of_elements(loop: str, queue: InfeedQueue | None) -> int:
    if queue is None:
        return 0
    expected = "a tf.contrib.tpu.InfeedQueue or None"
    instance_of(InfeedQueue, f"{loop}: infeed_queue", expected, queue)
    return queue.number_of_tuple_elements


def _build_loop(
    loop: str,
    condition: Callable[..., Any],
    body: Callable[..., Any],
    initial: list[Tensor],
    infeed_queue: InfeedQueue | None,
) -> Any:
    """Build the loop; without variables, it carries a constant 0."""

    def turn(*values: Any) -> list[Tensor]:
        fed = [] if infeed_queue is None else _dequeue(loop, infeed_queue)
        own = values if initial else ()
        tensors, operations = _separate_operations(loop, body(*own, *fed))
        before, after = ([x.dtype.name for x in xs] for xs in (initial, tensors))
        if before != after:
            raise codes.LOOP_VARIABLE_CHANGES.type_error(
                f"{loop}: the loop variables are {before}, but body returns {after}; "
                "return one value of the same type for each"
            )
        return dependencies.tuple(
            tensors or [convert_to_tensor(0)], control_inputs=operations
        )

    def goes_on(*values: Any) -> Any:
        return condition(*(values if initial else ()))

    # As in the releases, the loop opens no name scope: variables keep their names.
    start = initial or [convert_to_tensor(0)]
    return control_flow.while_loop(goes_on, turn, start, name="")


def _dequeue(loop: str, queue: InfeedQueue) -> list[Tensor]:
    shards = get_tpu_context().number_of_shards
    if shards is None:
        raise codes.FEED_MISPLACED.value_error(
            f"{loop}: a loop with an infeed_queue must be in a computation of "
            "tf.tpu.replicate, shard, batch_parallel or rewrite, or within "
            "tpu_function.tpu_shard_context"
        )
    queue.set_number_of_shards(shards)
    return queue.generate_dequeue_op()


def _separate_operations(
    loop: str, returned: Any
) -> tuple[list[Tensor], list[Operation]]:
    """Return the tensors and the operations of the body's result."""
    if any(leaf is None for leaf in as_list(returned)):
        raise codes.INVALID_RESULT.value_error(
            f"{loop}: body returns None; return an operation such as tf.no_op(), or "
            "tensors followed by operations"
        )
    leaves = [
        leaf if isinstance(leaf, Operation) else convert_to_tensor(leaf)
        for leaf in as_list(returned)
    ]
    tensors = [leaf for leaf in leaves if not isinstance(leaf, Operation)]
    operations = [leaf for leaf in leaves if isinstance(leaf, Operation)]
    if any(a is not b for a, b in zip(leaves, [*tensors, *operations], strict=True)):
        raise codes.INVALID_RESULT.value_error(
            f"{loop}: body returns {leaves}, expected tensors followed by operations"
        )
    return tensors, operations
