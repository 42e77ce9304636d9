"""Variables by name: get_variable, and scopes that name and share variables."""

import contextlib
import enum
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed, wrong_type
from tpuref.base.dtypes import DType, as_dtype, float32, string
from tpuref.base.errors import InaccessibleTensorError
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.aggregation import VariableAggregation, VariableSynchronization
from tpuref.engine.graph.convert import to_array
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph, GraphKeys
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable, global_variables, local_variables
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.host_functions import py_func
from tpuref.interface.functions.initializers import GlorotUniform, Zeros

Getter = Callable[..., Any]


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
"""Share the variable if it exists, otherwise create it."""


class VariableScope:
    """The settings of `get_variable` within a scope.

    `name` is the prefix of variable names, without its slash.  `reuse` is False to
    create variables, True to share them, `AUTO_REUSE` for either.  `initializer`,
    `regularizer`, `dtype`, `constraint` and `custom_getter` are defaults for calls of
    `get_variable` that give none.
    """

    def __init__(
        self,
        name: str = "",
        reuse: bool | _ReuseMode = False,
        initializer: Any = None,
        regularizer: Any = None,
        dtype: Any = float32,
        constraint: Any = None,
        custom_getter: Getter | None = None,
        original_name_scope: str = "",
    ) -> None:
        self.name = name
        self.reuse = reuse
        self.initializer = initializer
        self.regularizer = regularizer
        self.dtype = as_dtype(dtype)
        self.constraint = constraint
        self.custom_getter = custom_getter
        self.original_name_scope = original_name_scope

    def reuse_variables(self) -> None:
        """Share variables from now on."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Set the default initializer of this scope."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Set the default regularizer of this scope."""
        self.regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """Set the default dtype of this scope."""
        self.dtype = as_dtype(dtype)

    def set_custom_getter(self, custom_getter: Getter | None) -> None:
        """Set the custom getter of this scope."""
        self.custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """Return the values of a collection below this scope."""
        return get_default_graph().get_collection(
            name, self.name + "/" if self.name else None
        )

    def local_variables(self) -> list[Any]:
        """Return the local variables below this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Return the variables below this scope."""
        return global_variables(self.name + "/" if self.name else None)

    def trainable_variables(self) -> list[Any]:
        """Return the trainable variables below this scope."""
        return get_default_graph().get_collection(
            GraphKeys.TRAINABLE_VARIABLES, self.name + "/" if self.name else None
        )


def get_variable_scope() -> VariableScope:
    """Return the current scope."""
    graph = get_default_graph()
    if graph.variable_scope is None:
        graph.variable_scope = VariableScope()
    scope: VariableScope = graph.variable_scope
    return scope


@contextlib.contextmanager
def variable_scope(
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Getter | None = None,
    reuse: bool | _ReuseMode | None = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Name, share or configure the variables of `get_variable` within a block.

    It raises ValueError if `reuse` is invalid, or is given for a name that is made
    unique.

    Parameters
    ----------
    name_or_scope
        A name to append to the current scope, or a scope to enter again.
    default_name
        The name if `name_or_scope` is None; it is made unique.
    initializer, regularizer, dtype, constraint
        Defaults for the variables of the block.
    partitioner
        Must be None: variables are not split into parts.
    custom_getter
        ``custom_getter(getter, name, *args, **kwargs)`` is called instead of creating
        the variable, and may call `getter`.
    reuse
        True to share variables, `AUTO_REUSE` to share or create them, False or None to
        inherit from the enclosing scope or, if a scope is re-entered, from that scope.
    auxiliary_name_scope
        Whether operations are named under the scope too.

    Examples
    --------
    >>> with tf.variable_scope("layer"):
    ...     w = tf.get_variable("w", [2])
    >>> w.name
    'layer/w:0'
    """
    comparable = isinstance(reuse, int | _ReuseMode | None)  # unlike an array
    if not comparable or reuse not in (None, True, False, AUTO_REUSE):
        raise ValueError(
            "tf.variable_scope: reuse must be True, False, None or tf.AUTO_REUSE, got "
            f"{reuse!r}"
        )
    if reuse and name_or_scope is None:
        raise ValueError(
            "tf.variable_scope: a scope whose name is made unique has no variables to "
            f"share; give name_or_scope together with reuse={reuse}"
        )
    _check_partitioner("tf.variable_scope", partitioner)
    graph = get_default_graph()
    outer = get_variable_scope()
    name = _scope_name(outer, name_or_scope, default_name)
    base = name_or_scope if isinstance(name_or_scope, VariableScope) else outer
    label = _label(name_or_scope, default_name) if auxiliary_name_scope else ""
    outer_name = graph.get_name_scope()
    with (
        _mark_open(graph, name),
        graph.name_scope(label or (outer_name and f"{outer_name}/")) as operations,
    ):
        graph.variable_scope = VariableScope(
            name=name,
            reuse=reuse or base.reuse,
            initializer=initializer if initializer is not None else base.initializer,
            regularizer=regularizer if regularizer is not None else base.regularizer,
            dtype=dtype if dtype is not None else base.dtype,
            constraint=constraint if constraint is not None else base.constraint,
            custom_getter=_compose_getters(base.custom_getter, custom_getter),
            original_name_scope=getattr(
                name_or_scope, "original_name_scope", operations
            ),
        )
        try:
            yield graph.variable_scope
        finally:
            graph.variable_scope = outer


def _scope_name(
    outer: VariableScope, scope: str | VariableScope | None, default: str | None
) -> str:
    if isinstance(scope, VariableScope):
        return scope.name
    prefix = f"{outer.name}/" if outer.name else ""
    if scope is None and default is not None:
        instance_of(str, "tf.variable_scope: default_name", "a string or None", default)
        return prefix + _unique_name(prefix, default)
    if not isinstance(scope, str):
        raise TypeError(
            "tf.variable_scope: name_or_scope must be a name or a scope (or None "
            f"together with a default_name), got {scope!r}"
        )
    return prefix + scope


def _unique_name(prefix: str, name: str) -> str:
    """Return `name`, with a number if such a scope was opened before."""
    opened = get_default_graph().variable_scopes_opened
    candidate, number = name, 0
    while prefix + candidate in opened:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


@contextlib.contextmanager
def _mark_open(graph: Graph, name: str) -> Iterator[None]:
    """Record that the scope was opened, and reset the counts of scopes inside it."""
    opened = graph.variable_scopes_opened
    opened.add(name)
    try:
        yield
    finally:
        opened -= {inner for inner in opened if inner.startswith(f"{name}/")}


def _label(scope: str | VariableScope | None, default: str | None) -> str | None:
    """Return the name of the name scope of a variable scope."""
    if isinstance(scope, VariableScope):
        return scope.name.rsplit("/", 1)[-1]
    return default if scope is None else scope


def _compose_getters(outer: Getter | None, inner: Getter | None) -> Getter | None:
    if outer is None or inner is None:
        return inner or outer

    def both(getter: Getter, name: str, *args: Any, **kwargs: Any) -> Any:
        def through_outer(name: str, *args: Any, **kwargs: Any) -> Any:
            return outer(getter, name, *args, **kwargs)

        return inner(through_outer, name, *args, **kwargs)

    return both


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Getter | None = None,
    constraint: Any = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Variable:
    """Return the variable of that name in the current scope, creating it if needed.

    A custom getter may return something else.  See 000_04abb9e9288042d8.txt:
    bfloat16_scope changes how it reads variables.  Other parameters are those of
    `tf.Variable`.  It raises ValueError if a variable that must be new exists, or a
    shared one does not exist or differs in shape or dtype, or the shape is unknown.

    Parameters
    ----------
    shape
        The shape; omit it if `initializer` is a value.
    initializer
        An initializer, a function of shape and dtype, or a value.
    regularizer
        A function of the variable whose result is added to the regularization losses.
    trainable, collections, validate_shape, caching_device, use_resource, constraint
        As for `tf.Variable`; a variable that is synchronized on read is not trainable
        by default.
    partitioner
        Must be None: variables are not split into parts.
    custom_getter
        Called instead of creating the variable; see `variable_scope`.

    Examples
    --------
    >>> v = tf.get_variable("v", [2])
    >>> v.dtype.name, v.shape.as_list()
    ('float32', [2])
    """
    instance_of(str, "tf.get_variable: name", "a string", name)
    _check_partitioner("tf.get_variable", partitioner)
    scope = get_variable_scope()
    full = f"{scope.name}/{name}" if scope.name else name
    getter = scope.custom_getter if custom_getter is None else custom_getter
    for argument, called in (("custom_getter", getter), ("regularizer", regularizer)):
        if called is not None and not callable(called):
            raise wrong_type(
                f"tf.get_variable: {argument}", "a function or None", called
            )
    if initializer is None:
        initializer = scope.initializer
    arguments: dict[str, Any] = {
        "shape": shape,
        "dtype": _wanted_dtype(dtype, initializer, scope),
        "initializer": initializer,
        "regularizer": regularizer if regularizer is not None else scope.regularizer,
        "reuse": scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device,
        "partitioner": partitioner,
        "validate_shape": validate_shape,
        "use_resource": use_resource,
        "constraint": constraint if constraint is not None else scope.constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    made: Variable
    if getter is None:
        made = _true_getter(full, **arguments)
    else:
        made = getter(_true_getter, name=full, **arguments)
    return made


def _check_partitioner(function: str, partitioner: Any) -> None:
    if partitioner is not None:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"{function}: partitioner must be None, got {partitioner!r}: variables are "
            "not split into parts here; leave it out"
        )


def no_regularizer(_: Any) -> None:
    """Regularize nothing, even if an outer scope has a regularizer."""


def _wanted_dtype(dtype: Any, initializer: Any, scope: VariableScope) -> DType:
    if dtype is not None:
        return as_dtype(dtype)
    if not _is_value(initializer):
        return scope.dtype
    if hasattr(initializer, "dtype"):
        return as_dtype(initializer.dtype)
    return as_dtype(to_array(initializer).dtype)


def _true_getter(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: bool | _ReuseMode = False,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    constraint: Any = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Any:
    dtype = as_dtype(dtype)
    # In eager mode variables are not shared by name: each call creates one.
    known = {} if executing_eagerly() else get_default_graph().variables_by_name
    if name in known:
        return _share(known[name], name, shape, dtype, reuse)
    if reuse is True:
        raise codes.VARIABLE_REUSE.value_error(
            f"tf.get_variable: the variable {name!r} does not exist and the scope "
            "shares variables (reuse=True); create it first or use reuse=tf.AUTO_REUSE"
        )
    with get_default_graph().name_scope(None):
        variable = Variable(
            _first_value(name, shape, dtype, initializer),
            trainable=trainable,
            collections=collections,
            validate_shape=validate_shape,
            name=name,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
        )
    known[name] = variable
    if regularizer is not None:
        _regularize(variable, regularizer)
    return variable


def _share(
    variable: Variable, name: str, shape: Any, dtype: DType, reuse: bool | _ReuseMode
) -> Variable:
    if reuse is False:
        raise codes.VARIABLE_REUSE.value_error(
            f"tf.get_variable: the variable {name!r} already exists, created at "
            f"{variable.op.site}; share it with tf.variable_scope(..., reuse=True) or "
            "reuse=tf.AUTO_REUSE"
        )
    if shape is not None and not as_shape(shape).is_compatible_with(variable.shape):
        raise codes.VARIABLE_MISMATCH.value_error(
            f"tf.get_variable: the variable {name!r} has shape {variable.shape}, "
            f"expected {as_shape(shape)}"
        )
    if dtype != variable.dtype:
        raise codes.VARIABLE_MISMATCH.value_error(
            f"tf.get_variable: the variable {name!r} has dtype {variable.dtype.name}, "
            f"expected {dtype.name}"
        )
    return variable


def _is_value(initializer: Any) -> bool:
    return initializer is not None and not callable(initializer)


def _first_value(name: str, shape: Any, dtype: DType, initializer: Any) -> Any:
    if _is_value(initializer):
        if shape is not None:
            raise ValueError(
                f"tf.get_variable: the initializer of {name!r} is a value with its own "
                "shape; omit shape"
            )
        if isinstance(initializer, (Tensor, Variable)) and initializer.dtype != dtype:
            raise ValueError(
                f"tf.get_variable: the initializer of {name!r} has dtype "
                f"{initializer.dtype.name}, expected {dtype.name}; use tf.cast"
            )
        return initializer
    if isinstance(initializer, type):
        initializer = initializer()
    if shape is None:
        if initializer is None:
            raise codes.UNKNOWN_SHAPE.value_error(
                f"tf.get_variable: the variable {name!r} needs a shape, or an "
                "initializer with one"
            )
        return initializer
    sizes = as_shape(shape)
    if not sizes.is_fully_defined():
        raise codes.UNKNOWN_SHAPE.value_error(
            f"tf.get_variable: the shape of {name!r} must be fully known, got {sizes}"
        )
    chosen = (
        initializer if initializer is not None else _default_initializer(name, dtype)
    )
    more = {"partition_info": None} if _takes_partition_info(chosen) else {}
    return lambda: chosen(sizes.as_list(), dtype=dtype, **more)


def _takes_partition_info(initializer: Callable[..., Any]) -> bool:
    """Whether an initializer expects partition information."""
    if not callable(initializer):
        raise wrong_type("tf.get_variable: initializer", "a function", initializer)
    return "partition_info" in inspect.signature(initializer).parameters


def _default_initializer(name: str, dtype: DType) -> Any:
    if dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_bool:
        return Zeros()
    raise ValueError(
        f"tf.get_variable: the variable {name!r} with dtype {dtype.name} needs an "
        "initializer"
    )


def _regularize(variable: Variable, regularizer: Callable[[Any], Any]) -> None:
    graph = get_default_graph()
    scope = f"{variable.op.name}/Regularizer/"
    try:
        with graph.outside_regions(), graph.name_scope(scope):
            loss = regularizer(variable)
    except InaccessibleTensorError:  # it uses a tensor of the loop or branch
        with graph.name_scope(scope):
            loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def variables_initializer(
    var_list: Sequence[Variable], name: str = "init"
) -> Operation | None:
    """Return an operation that initializes the listed variables."""
    variables = _variables("tf.variables_initializer: var_list", var_list)
    if executing_eagerly():
        return None
    return group(*[variable.initializer for variable in variables], name=name)


def _variables(argument: str, var_list: Any) -> list[Variable]:
    return [
        instance_of(Variable, argument, "a list of variables", variable)
        for variable in listed(argument, var_list)
    ]


def tables_initializer(name: str = "init_all_tables") -> Operation | None:
    """Return an operation that initializes all tables of the graph."""
    tables = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*tables, name=name)


def report_uninitialized_variables(
    var_list: Sequence[Variable] | None = None,
    name: str = "report_uninitialized_variables",
) -> Tensor:
    """Return the names of variables that have no value, as a vector of strings.

    Those of `var_list`, by default all global and local variables, are checked.
    """
    if var_list is None:
        var_list = [*global_variables(), *local_variables()]
    variables = _variables("tf.report_uninitialized_variables: var_list", var_list)
    names = [variable.op.name.encode() for variable in variables]

    def without_value(*known: Any) -> Any:
        lacking = [n for n, there in zip(names, known, strict=True) if not there]
        return np.array(lacking, object)

    known = [variable.is_initialized() for variable in variables]
    unset: Tensor = py_func(without_value, known, string, name=name)
    unset.set_shape([None])
    return unset


def assert_variables_initialized(
    var_list: Sequence[Variable] | None = None,
) -> Operation | None:
    """Return an operation that fails unless all variables have a value.

    It raises `tf.errors.FailedPreconditionError`.  Those of `var_list`, by default all
    global and local variables, are checked; the result is None if there are none.
    """
    if var_list is None:
        var_list = [*global_variables(), *local_variables()]
    variables = _variables("tf.assert_variables_initialized: var_list", var_list)
    return group(*(variable.value() for variable in variables)) if variables else None


def global_variables_initializer() -> Operation | None:
    """Return an operation that initializes all variables.

    Examples
    --------
    >>> bias = tf.get_variable("bias", initializer=3.0)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     float(sess.run(bias))
    3.0
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation | None:
    """Return an operation that initializes all local variables."""
    return variables_initializer(local_variables())


def enable_resource_variables() -> None:
    """Do nothing: variables of tpuref are resources from the start.

    A read gives the value at that time, and no later assignment changes it.
    """
