"""Branches and loops of tensors."""

import contextlib
from builtins import tuple as _tuple
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import name_or
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import bool_
from tpuref.base.errors import StructureError, coded
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph import build
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.region import BRANCH, LOOP, Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.control import IF, WHILE
from tpuref.engine.ops.sources import ARGUMENT
from tpuref.engine.tracing.arguments import is_composite, leaves_of, with_values
from tpuref.interface.functions.arguments import static_integer
from tpuref.interface.functions.optional import Optional
from tpuref.interface.functions.tensor_array import TensorArray


def enable_control_flow_v2() -> None:
    """Do nothing: conditions and loops always have their own bodies.

    Examples
    --------
    >>> tf.enable_control_flow_v2()
    >>> tf.control_flow_v2_enabled()
    True
    """


def control_flow_v2_enabled() -> bool:
    """Return True: conditions and loops always have their own bodies."""
    return True


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Return the result of `true_fn` or `false_fn`, depending on `pred` at run time.

    `pred` is a scalar bool tensor.  `true_fn` and `false_fn` are functions without
    parameters.  Both are called when the graph is built; their results must have the
    same structure and element types.  `strict` says whether a list or tuple with one
    element stays a list or tuple.  `fn1` and `fn2` are the former names of `true_fn`
    and `false_fn`.  It raises TypeError if `pred` is a Python bool, or a function is
    missing or given twice, and ValueError if `pred` is not a scalar, a function returns
    None, or the structures or element types differ.

    Examples
    --------
    >>> x = tf.constant(3)
    >>> int(tf.Session().run(tf.cond(x > 2, lambda: x * 10, lambda: x)))
    30
    """
    true_fn = _branch_function("true_fn", true_fn, "fn1", fn1)
    false_fn = _branch_function("false_fn", false_fn, "fn2", fn2)
    if isinstance(pred, bool) and not executing_eagerly():
        raise TypeError(
            "tf.cond: pred must be a tensor, got the Python bool "
            f"{pred}; use a Python `if` instead"
        )
    predicate = _predicate(pred)
    if executing_eagerly():
        return _unpack_single(true_fn() if bool(predicate) else false_fn(), strict)
    graph = get_default_graph()
    with graph.name_scope(name_or(name, "cond")):
        first, result = _branch(graph, "true", true_fn, strict)
        second, other = _branch(graph, "false", false_fn, strict, result)
        _check_branches(result, other)
        operation = build.add_operation(IF, [predicate], {}, None, [first, second])
    return _with_outputs(result, operation)


def _branch_function(
    new: str,
    function: Callable[[], Any] | None,
    old: str,
    former: Callable[[], Any] | None,
) -> Callable[[], Any]:
    if function is not None and former is not None:
        raise TypeError(f"tf.cond: {old} and {new} are the same argument; give one")
    chosen = former if function is None else function
    if not callable(chosen):
        raise TypeError(f"tf.cond: {new} must be callable, got {chosen!r}")
    return chosen


def _predicate(pred: Any) -> Tensor:
    predicate = convert_to_tensor(pred)
    if predicate.dtype != bool_:
        raise TypeError(f"tf.cond: pred must be bool, got {predicate.describe()}")
    if predicate.shape.ndims not in (0, None):
        raise ValueError(f"tf.cond: pred must be a scalar, got {predicate.describe()}")
    return predicate


def _branch(
    graph: Graph,
    label: str,
    function: Callable[[], Any],
    strict: bool,
    like: Any = None,
) -> _tuple[Region, Any]:
    region = Region(BRANCH, graph.unique_name(label, False), graph.region, user_site())
    with graph.in_part(region, label):
        returned = function()
        if returned is None and not graph.traced:
            raise ValueError(
                f"tf.cond: {label}_fn returned None; return a tensor, an operation "
                "such as tf.no_op(), or a structure of them"
            )
        returned = _complete_specs(_unpack_single(returned, strict), like)
        result = nest.map_structure(_result_leaf, returned)
        region.results = list(leaves_of(result, Tensor))
        for tensor in region.results:
            graph.check_accessible(tensor, "tf.cond")
    return region, result


def _result_leaf(leaf: Any) -> Any:
    if leaf is None or isinstance(leaf, Operation):
        return leaf
    return _variable(leaf)


def _variable(value: Any) -> Any:
    """Return a value that branches and loops can hand on: a tensor, or made of some."""
    if isinstance(value, Optional):
        return value if value.element_spec is None else value.filled()
    if is_composite(value) and not hasattr(value, "_as_tensor"):
        return value
    return convert_to_tensor(value)


def _check_branches(result: Any, other: Any) -> None:
    try:
        nest.assert_same_structure(
            result, other, a_name="true_fn()", b_name="false_fn()"
        )
    except StructureError as error:
        raise coded(
            StructureError,
            f"tf.cond: the results of the branches differ: {error}",
            code=codes.STRUCTURES_DIFFER,
        ) from None
    for leaf, opposite in zip(nest.flatten(result), nest.flatten(other), strict=True):
        ours, theirs = (list(leaves_of(x, Tensor)) for x in (leaf, opposite))
        if len(ours) != len(theirs):
            raise coded(
                StructureError,
                f"tf.cond: true_fn returns {leaf!r}, false_fn returns {opposite!r}",
                code=codes.STRUCTURES_DIFFER,
            )
        for a, b in zip(ours, theirs, strict=True):
            if a.dtype != b.dtype:
                raise coded(
                    StructureError,
                    f"tf.cond: true_fn returns {a.describe()}, false_fn returns "
                    f"{b.describe()}; the element types must be equal",
                    code=codes.STRUCTURES_DIFFER,
                )


def _with_outputs(structure: Any, operation: Operation) -> Any:
    outputs = iter(operation.outputs)

    def output(leaf: Any) -> Any:
        if isinstance(leaf, Operation):
            return operation
        return with_values(leaf, outputs)

    return nest.map_structure(output, structure)


def _unpack_single(result: Any, strict: bool) -> Any:
    single = isinstance(result, (list, _tuple)) and len(result) == 1
    return result[0] if single and not strict else result


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: int | None = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeat `body` while `cond` holds.

    Return the final values in the sequence type that `body` returns; a single value
    alone.  It raises TypeError if `body` changes the element type of a variable, and
    ValueError if `loop_vars` is empty, the structure changes, or a shape violates its
    invariant.

    `loop_vars` is a list or tuple of tensors, or of nested structures of tensors.
    `cond` and `body` are functions of them: `cond` returns a scalar bool tensor, `body`
    the next values in the structure of `loop_vars`.  `shape_invariants` are shapes that
    hold for every iteration, in that structure; they are needed for variables whose
    shape changes.  `maximum_iterations` is the largest number of iterations, known when
    the graph is built.  `return_same_structure` says whether a single loop variable is
    returned in a list.

    Examples
    --------
    >>> i = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
    >>> int(tf.Session().run(i))
    12
    """
    if not callable(cond) or not callable(body):
        raise TypeError("tf.while_loop: cond and body must be callable")
    if not isinstance(loop_vars, (list, _tuple)) or not loop_vars:
        raise ValueError(
            "tf.while_loop: loop_vars must be a list with at least one element, got "
            f"{loop_vars!r}"
        )
    start = nest.map_structure(_variable, loop_vars)
    limit = None
    if maximum_iterations is not None:
        limit = static_integer(maximum_iterations, "tf.while_loop: maximum_iterations")
    if executing_eagerly():
        return _loop_result(_loop_now(cond, body, start, limit), return_same_structure)
    graph = get_default_graph()
    with graph.name_scope("while" if name is None else name):
        result = _loop(graph, cond, body, start, shape_invariants, limit)
    return _loop_result(result, return_same_structure)


def _loop_result(result: Any, same_structure: bool) -> Any:
    single = len(nest.flatten(result)) == 1
    return result[0] if single and not same_structure else result


def _loop(
    graph: Graph,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    start: Any,
    shape_invariants: Any,
    limit: int | None,
) -> Any:
    start = nest.map_structure(_variable, _complete(graph, body, start))
    leaves = list(leaves_of(start, Tensor))
    specs = _invariants(start, leaves, shape_invariants)
    with _part(graph, "cond", start, specs) as (test, values):
        test.results = [_predicate(cond(*values))]
        graph.check_accessible(test.results[0], "tf.while_loop")
    with _part(graph, "body", start, specs) as (turn, values):
        returned = nest.map_structure(_variable, _sequence(body(*values), start))
        turn.results = _check_turn(returned, start, specs)
        for tensor in turn.results:
            graph.check_accessible(tensor, "tf.while_loop")
    attrs = {"loop_variables": len(leaves), "maximum_iterations": limit}
    operation = build.add_operation(WHILE, leaves, attrs, None, [test, turn])
    return with_values(returned, iter(operation.outputs))


def _complete(graph: Graph, body: Callable[..., Any], start: Any) -> Any:
    """Return the loop variables; optionals without specs take those of the body.

    The body is traced once more, and nothing uses that trace.
    """
    if not any(map(_is_unknown, nest.flatten(start))):
        return start
    region = Region(LOOP, graph.unique_name("specs", False), graph.region, user_site())
    with graph.in_part(region, "specs"):
        returned = _sequence(body(*start), start)
    return _complete_specs(start, list(returned))


def _complete_specs(structure: Any, like: Any) -> Any:
    """Return a structure whose optionals without specs take those of another one."""
    leaves, others = nest.flatten(structure), nest.flatten(like)
    if not any(map(_is_unknown, leaves)) or len(leaves) != len(others):
        return structure
    known = [
        Optional.empty(other.element_spec)
        if _is_unknown(leaf) and isinstance(other, Optional)
        else leaf
        for leaf, other in zip(leaves, others, strict=True)
    ]
    return nest.pack_sequence_as(structure, known)


def _is_unknown(leaf: Any) -> bool:
    return isinstance(leaf, Optional) and leaf.is_blank and leaf.element_spec is None


def _invariants(start: Any, leaves: list[Tensor], invariants: Any) -> list[TensorSpec]:
    variables = nest.flatten(start)
    shapes: list[Any] = [None] * len(variables)
    if invariants is not None:
        shapes = nest.flatten(nest.map_structure(as_shape, invariants))
    if len(shapes) != len(variables):
        raise ValueError(
            f"tf.while_loop: shape_invariants has {len(shapes)} shapes for "
            f"{len(variables)} loop variables"
        )
    pairs = zip(variables, shapes, strict=True)
    shapes = [shape for pair in pairs for shape in _shapes_of(*pair)]
    for tensor, shape in zip(leaves, shapes, strict=True):
        if not _holds(shape, tensor.shape):
            raise ValueError(
                f"tf.while_loop: the loop variable {tensor.describe()} does not have "
                f"the invariant shape {shape}"
            )
    return [TensorSpec(s, t.dtype) for s, t in zip(shapes, leaves, strict=True)]


def _shapes_of(variable: Any, invariant: TensorShape | None) -> list[TensorShape]:
    """Return the invariant shapes of the tensors of a loop variable."""
    if isinstance(variable, TensorArray):
        return [variable.invariant()]
    if isinstance(variable, Optional):
        return variable.invariants()
    if invariant is not None and isinstance(variable, Tensor):
        return [invariant]
    return [tensor.shape for tensor in leaves_of(variable, Tensor)]


def _holds(invariant: TensorShape, shape: TensorShape) -> bool:
    """Whether every tensor of shape `shape` also has the shape `invariant`."""
    return invariant.most_specific_compatible_shape(shape) == invariant


@contextlib.contextmanager
def _part(
    graph: Graph, label: str, start: Any, specs: Sequence[TensorSpec]
) -> Iterator[_tuple[Region, Any]]:
    region = Region(LOOP, graph.unique_name(label, False), graph.region, user_site())
    with graph.in_part(region, label):
        region.parameters = [build.parameter(ARGUMENT, spec, "arg") for spec in specs]
        yield region, with_values(start, iter(region.parameters))


def _sequence(result: Any, start: Any) -> Any:
    """Return the body's result as the sequence that the loop returns."""
    if not isinstance(result, (list, _tuple)) or (len(start) == 1 and len(result) != 1):
        return [result]
    return result


def _check_turn(result: Any, start: Any, specs: Sequence[TensorSpec]) -> list[Tensor]:
    """Check the body's result against the loop variables."""
    try:
        nest.assert_same_structure(
            list(start), list(result), a_name="loop_vars", b_name="body()"
        )
    except StructureError as error:
        raise coded(
            StructureError, f"tf.while_loop: {error}", code=codes.LOOP_VARIABLE_CHANGES
        ) from None
    tensors = list(leaves_of(list(result), Tensor))
    for tensor, spec in zip(tensors, specs, strict=True):
        if tensor.dtype != spec.dtype:
            raise codes.LOOP_VARIABLE_CHANGES.type_error(
                f"tf.while_loop: a loop variable is {spec.describe()}, but body "
                f"returns {tensor.describe()}; the element type cannot change"
            )
        if not _holds(spec.shape, tensor.shape):
            raise codes.LOOP_VARIABLE_CHANGES.value_error(
                f"tf.while_loop: a loop variable is {spec.describe()}, but body "
                f"returns {tensor.describe()}; give shape_invariants with None for the "
                "dimensions that change"
            )
    return tensors


def _loop_now(
    cond: Callable[..., Any], body: Callable[..., Any], values: Any, limit: int | None
) -> Any:
    turns = 0
    while bool(_predicate(cond(*values))) and (limit is None or turns < limit):
        returned = nest.map_structure(_variable, _sequence(body(*values), values))
        if not any(isinstance(leaf, Optional) for leaf in nest.flatten(values)):
            leaves = leaves_of(values, Tensor)
            loose = [TensorSpec(TensorShape(None), leaf.dtype) for leaf in leaves]
            _check_turn(returned, values, loose)
        values = returned
        turns += 1
    return values


def cond_v2(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Return `cond`, as TensorFlow 2 does: lists of one tensor stay lists.

    Examples
    --------
    >>> len(cond_v2(tf.constant(True), lambda: [1.0], lambda: [2.0]))
    1
    """
    return cond(pred, true_fn, false_fn, strict=True, name=name)


def while_loop_v2(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: int | None = None,
    name: str | None = None,
) -> Any:
    """Return `while_loop`, as TensorFlow 2 does: a list of one variable stays a list.

    Examples
    --------
    >>> len(while_loop_v2(lambda i: i < 3, lambda i: [i + 1], [0]))
    1
    """
    options = (shape_invariants, parallel_iterations, back_prop, swap_memory)
    return while_loop(cond, body, loop_vars, *options, name, maximum_iterations, True)
