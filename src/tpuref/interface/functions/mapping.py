"""A function applied to each element along the first axis."""

from collections.abc import Callable
from typing import Any

from tpuref.base import nest
from tpuref.base.dtypes import DType, as_dtype
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation, Tensor, kept_of_each_turn
from tpuref.interface.functions.assertions import Assert
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.control_flow import while_loop
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.joining import concat, stack
from tpuref.interface.functions.reductions import reduce_all
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.scopes import control_dependencies, name_scope

_Turn = tuple[list[Tensor], list[Tensor]]


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Apply a function to each element along the first axis, and stack the results.

    `fn` takes one element of each tensor of `elems`, in their structure.  `elems` is a
    tensor, or a nested structure of tensors, with equal first dimensions.  `dtype` and
    `fn_output_signature` are the element types of the results of `fn`, in their
    structure.  By default the structure and element types of `elems`.
    `parallel_iterations`, `back_prop` and `swap_memory` are accepted for compatibility;
    elements are taken one after the other.  `infer_shape` says whether all results must
    have the same static shape; they always must.  It raises TypeError if `fn` is not
    callable, or a result has another element type than `dtype`; ValueError if a tensor
    is a scalar, or the structures or first dimensions differ; InvalidArgumentError at
    run time if the shapes of the results differ.

    Examples
    --------
    >>> y = tf.map_fn(tf.reduce_max, tf.constant([[1, 5], [7, 3]]))
    >>> tf.Session().run(y).tolist()
    [5, 7]
    """
    if not callable(fn):
        raise TypeError(f"tf.map_fn: fn must be callable, got {fn!r}")
    with name_scope(name, "map"):
        values = nest.map_structure(convert_to_tensor, elems)
        types = fn_output_signature if dtype is None else dtype
        if types is None:
            types = nest.map_structure(lambda tensor: tensor.dtype, values)
        types = nest.map_structure(_dtype_of, types)
        _check_elements(nest.flatten(values))

        def turn(index: Any, state: list[Tensor]) -> _Turn:
            element = nest.map_structure(lambda tensor: tensor[index], values)
            return state, _results(fn(element), types)

        _, stacked = over_rows(turn, nest.flatten(values)[0], [])
        return nest.pack_sequence_as(types, stacked)


def _dtype_of(signature: Any) -> DType:
    return signature.dtype if isinstance(signature, TensorSpec) else as_dtype(signature)


def vectorized_map(
    fn: Callable[[Any], Any],
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """Apply a function to each element along the first axis, and stack the results.

    `fn` is as for `map_fn`; its results may have any structure and dtypes.  `elems` are
    as for `map_fn`.  `fallback_to_while_loop` and `warn` are accepted for
    compatibility; elements are taken one after the other.

    Examples
    --------
    >>> y = tf.vectorized_map(lambda x: (x, x > 1), tf.constant([1, 2]))
    >>> [part.tolist() for part in tf.Session().run(y)]
    [[1, 2], [False, True]]
    """
    values = nest.map_structure(convert_to_tensor, elems)
    first = fn(nest.map_structure(lambda tensor: tensor[0], values))
    types = nest.map_structure(lambda x: convert_to_tensor(x).dtype, first)
    return map_fn(fn, values, fn_output_signature=types)


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combine the elements along the first axis, from the first to the last.

    Other parameters are those of `map_fn`.  `fn` takes the value so far and one
    element, and returns the next value.  `initializer` is the value to start with, by
    default the first element.  `parallel_iterations`, `back_prop` and `swap_memory` are
    accepted for compatibility; elements are taken one after the other.  It raises the
    errors of `map_fn`.

    Examples
    --------
    >>> int(tf.Session().run(tf.foldl(lambda a, x: a - x, tf.constant([9, 1, 2]))))
    6
    """
    with name_scope(name, "foldl"):
        return _scan_elements(fn, elems, initializer, reverse=False)[0]


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combine the elements along the first axis, from the last to the first.

    The arguments and errors are those of `foldl`.

    Examples
    --------
    >>> int(tf.Session().run(tf.foldr(lambda a, x: a - x, tf.constant([1, 2, 9]))))
    6
    """
    with name_scope(name, "foldr"):
        return _scan_elements(fn, elems, initializer, reverse=True)[0]


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Combine the elements along the first axis, and stack the partial results.

    `fn`, `elems`, `initializer`, `parallel_iterations`, `back_prop` and `swap_memory`
    are as for `foldl`.  `infer_shape` is accepted for compatibility.  `reverse` says
    whether to start with the last element.  It raises the errors of `map_fn`.

    Examples
    --------
    >>> tf.Session().run(tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3]))).tolist()
    [1, 3, 6]
    """
    with name_scope(name, "scan"):
        return _scan_elements(fn, elems, initializer, reverse)[1]


def _scan_elements(
    fn: Any, elems: Any, initializer: Any, reverse: bool
) -> tuple[Any, Any]:
    """Return the last accumulated value, and all of them stacked."""
    if not callable(fn):
        raise TypeError(f"fn must be callable, got {fn!r}")
    values = nest.map_structure(convert_to_tensor, elems)
    _check_elements(nest.flatten(values))
    if reverse:
        values = nest.map_structure(lambda tensor: tensor[::-1], values)
    first: list[Tensor] = []
    if initializer is None:
        initializer = nest.map_structure(lambda tensor: tensor[0], values)
        first = nest.flatten(initializer)
        values = nest.map_structure(lambda tensor: tensor[1:], values)
    start = nest.map_structure(convert_to_tensor, initializer)

    def turn(index: Any, carried: list[Tensor]) -> _Turn:
        element = nest.map_structure(lambda tensor: tensor[index], values)
        result = fn(nest.pack_sequence_as(start, carried), element)
        nest.assert_same_structure(start, result, a_name="initializer", b_name="fn()")
        tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(result)]
        return tensors, tensors

    last, stacked = over_rows(turn, nest.flatten(values)[0], nest.flatten(start))
    if first and stacked:
        stacked = [
            concat([one[None], rest], 0)
            for one, rest in zip(first, stacked, strict=True)
        ]
    elif first:  # eagerly, fn is not called for a single element
        stacked = [one[None] for one in first]
    if reverse:
        stacked = [tensor[::-1] for tensor in stacked]
    return nest.pack_sequence_as(start, last), nest.pack_sequence_as(start, stacked)


def over_rows(
    turn: Callable[[Any, list[Tensor]], _Turn], rows: Tensor, start: list[Tensor]
) -> _Turn:
    """Call a function once for each row of a tensor, one after the other.

    `turn` is a function of the number of the row and the state, which is `start` at
    first; it returns the next state, and results.  The result is the last state, and
    the results of all calls, stacked.
    """
    turns = _turns_now if executing_eagerly() else _turns_of_a_loop
    return turns(turn, rows, start)


def _check_elements(leaves: list[Tensor]) -> None:
    if not leaves:
        raise ValueError("tf.map_fn: elems has no tensor")
    for tensor in leaves:
        if tensor.shape.rank == 0:
            raise ValueError(
                "tf.map_fn: elems must have at least one axis, got the scalar "
                f"{tensor.describe()}"
            )
        if not tensor.shape[:1].is_compatible_with(leaves[0].shape[:1]):
            raise ValueError(
                "tf.map_fn: the first dimensions of elems must be equal, got "
                f"{leaves[0].describe()} and {tensor.describe()}"
            )


def _results(result: Any, types: Any) -> list[Tensor]:
    nest.assert_same_structure(types, result, a_name="dtype", b_name="fn()")
    tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(result)]
    for tensor, dtype in zip(tensors, nest.flatten(types), strict=True):
        if tensor.dtype != dtype:
            raise TypeError(
                f"tf.map_fn: fn returns {tensor.describe()}, expected {dtype.name}; "
                "give dtype= if fn changes the element type"
            )
    return tensors


def _turns_now(
    turn: Callable[[Any, list[Tensor]], _Turn], rows: Tensor, state: list[Tensor]
) -> _Turn:
    sizes: Any = rows.shape.as_list()
    results = []
    for index in range(sizes[0]):
        state, result = turn(index, state)
        results.append(result)
    return state, [stack(list(tensors)) for tensors in zip(*results, strict=True)]


def _turns_of_a_loop(
    turn: Callable[[Any, list[Tensor]], _Turn], rows: Tensor, start: list[Tensor]
) -> _Turn:
    count = shape(rows)[0]
    tensors: list[Tensor] = []
    sizes: list[Tensor] = []

    def body(index: Tensor, *state: Tensor) -> list[Tensor]:
        following, results = turn(index, list(state))
        tensors.extend(results)
        sizes.extend(shape(tensor) for tensor in tensors)
        return [index + 1, *following]

    index, *state = while_loop(
        lambda index, *_: index < count, body, [0, *start], return_same_structure=True
    )
    stacked = [
        _stack_turns(index.op, tensor, size, count, rows)
        for tensor, size in zip(tensors, sizes, strict=True)
    ]
    return state, stacked


def _stack_turns(
    loop: Operation, tensor: Tensor, size: Tensor, count: Tensor, first: Tensor
) -> Tensor:
    """Return the values that a tensor of the body had in all turns, stacked."""
    elements = kept_of_each_turn(loop, tensor)
    if tensor.shape.is_fully_defined():
        inner: Any = convert_to_tensor(tensor.shape.as_list(), "int32")
        checks = []
    else:
        table = reshape(kept_of_each_turn(loop, size), stack([count, -1]))
        same = reduce_all(equal(table, table[:1]))
        checks = [Assert(same, ["tf.map_fn: the shapes of the results differ:", table])]
        inner = table[0]
    with control_dependencies(checks):
        result = apply("Reshape", elements, concat([[count], inner], 0))
    result.set_shape(first.shape[:1].concatenate(tensor.shape))
    stacked: Tensor = result
    return stacked
