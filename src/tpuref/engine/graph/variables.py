"""Variables: values that last from one run to the next."""

from __future__ import annotations

import contextlib
import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, wrong_type
from tpuref.base.dtypes import DType, as_dtype
from tpuref.base.errors import coded
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.engine.graph.aggregation import VariableAggregation, VariableSynchronization
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.context import context, session_for
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph, init_scope
from tpuref.engine.graph.graph import Graph, GraphKeys
from tpuref.engine.graph.operators import Operators
from tpuref.engine.graph.recorder import record_read
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.names.members import explain_missing_members

_eager_serial = itertools.count()

Creator = Callable[..., Any]
"""``creator(next_creator, **arguments)`` returns a variable, or a replacement."""


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Let a function make the variables of a block.

    `variable_creator` is called as ``variable_creator(next_creator, **arguments)`` for
    each variable, with the arguments of `tf.Variable`; it may call `next_creator`.

    Examples
    --------
    >>> def doubled(next_creator, **arguments):
    ...     return next_creator(**{**arguments, "name": "mine"})
    >>> with tf.variable_creator_scope(doubled):
    ...     v = tf.Variable(1.0)
    >>> v.name
    'mine:0'
    """
    context.creators.append(variable_creator)
    try:
        yield
    finally:
        context.creators.pop()


deferred: dict[Any, Callable[[], set[str]]] = {}
"""What may give eager variables made from now on another value before they are used.

These are the restores of checkpoints that have values left; the checkpoints alone
write it.  A call gives the handles of all variables that it could have restored.
"""


class _MadeByCreators(type):
    """Sends ``tf.Variable(...)`` through the variable creators in force."""

    if not TYPE_CHECKING:  # checkers read the parameters of __init__

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if (
                cls is Variable
                and get_default_graph().traced
                and not executing_eagerly()
            ):
                with init_scope():  # it outlives the call of the function
                    return cls(*args, **kwargs)
            if not context.creators or cls is not Variable:
                return super().__call__(*args, **kwargs)
            bound = inspect.signature(Variable.__init__).bind(None, *args, **kwargs)
            del bound.arguments["self"]
            return _chain(super().__call__, tuple(context.creators))(**bound.arguments)


def _chain(make: Callable[..., Any], creators: tuple[Creator, ...]) -> Any:
    """Return a function that creates a variable through `creators`, last first."""
    if not creators:
        return make
    *outer, innermost = creators
    following = _chain(make, tuple(outer))
    return lambda **arguments: innermost(following, **arguments)


@explain_missing_members("tf.Variable")
class Variable(Operators, metaclass=_MadeByCreators):
    """A value that lasts from one run to the next.

    In graph mode the value lives in a session, and the variable's ``initializer`` has
    to run before it is read.  Every use reads the value it has at that point of the
    program.  It raises ValueError if no initial value is given.

    Parameters
    ----------
    initial_value
        A tensor, a value that converts to one, or a function that returns one.
    trainable
        Whether the variable joins the collection of trainable variables; None for yes.
    collections
        The collections to join, by default that of global variables.
    validate_shape
        Whether the shape is fixed by the initial value.
    name
        The name; it is made unique.
    dtype
        The element type, by default that of the initial value.
    constraint
        A function that optimizers apply after an update; kept as an attribute.
    shape, expected_shape
        The static shape, by default that of the initial value.
    synchronization, aggregation
        When and how the components are combined, for a variable of a distribution
        strategy.

    Examples
    --------
    >>> v = tf.Variable([1.0, 2.0])
    >>> with tf.Session() as sess:
    ...     sess.run(v.initializer)
    ...     sess.run(v.assign_add([1.0, 1.0]))
    array([2., 3.], dtype=float32)
    """

    _awaits: set[Any] = set()  # noqa: RUF012 - the same, empty, for graph mode
    """The restores that may still have a value for it."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: None = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("tf.Variable: initial_value must be given")
        shape = expected_shape if shape is None else shape
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self.trainable = trainable
        self.constraint = constraint
        self.synchronization = synchronization
        self.aggregation = aggregation
        wanted = None if dtype is None else as_dtype(dtype)
        if executing_eagerly():
            self._start_eager(initial_value, wanted, name, shape)
            return
        graph = get_default_graph()
        with graph.outside_regions(), graph.name_scope(name or "Variable") as scope:
            self._start(initial_value, wanted, scope, shape, validate_shape)
        names = list(
            [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
        )
        if self.trainable:
            names.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(names, self)

    def _start(
        self, initial: Any, dtype: DType | None, scope: str, shape: Any, fixed: bool
    ) -> None:
        if callable(initial):
            with get_default_graph().name_scope("Initializer"):
                initial = initial()
        value = convert_to_tensor(initial, dtype, "initial_value")
        if shape is None and fixed and not value.shape.is_fully_defined():
            raise codes.UNKNOWN_SHAPE.value_error(
                f"tf.Variable: the initial value {value.describe()} must have a known "
                "shape; give shape=, or validate_shape=False for any shape"
            )
        self._describe(scope[:-1], value, shape, fixed)
        self._element: Tensor | None = apply("VariableV2", name=scope, **self._key())
        self._initial_value: Tensor | None = value
        assigned: Tensor = apply("Assign", value, name="Assign", **self._key())
        self._initializer: Operation | None = assigned.op

    def start_with(self, value: Any) -> None:
        """Replace the initial value for initializers requested from now on.

        The value is an array or tensor of the variable's dtype and shape.
        """
        graph = self.graph
        with (
            graph.as_default(),
            graph.outside_regions(),
            graph.name_scope(None),
            graph.name_scope(f"{self._name}/restored"),
        ):
            self._initial_value = convert_to_tensor(value, self._dtype)
            assigned: Tensor = apply("Assign", self._initial_value, **self._key())
        self._initializer = assigned.op

    def _start_eager(
        self, initial: Any, dtype: DType | None, name: str | None, shape: Any
    ) -> None:
        value = convert_to_tensor(initial() if callable(initial) else initial, dtype)
        self._describe((name or "Variable").rstrip("/"), value, shape, True)
        self._handle = f"{self._name}#{next(_eager_serial)}"
        self._element = self._initial_value = self._initializer = None
        self._awaits = set(deferred)
        apply("Assign", value, **self._key())

    def _describe(self, name: str, value: Tensor, shape: Any, fixed: bool) -> None:
        self._name: str = name
        self._handle = name
        self._dtype = value.dtype
        if shape is not None:
            self._shape = as_shape(shape)
        else:
            self._shape = value.shape if fixed else TensorShape(None)

    def _key(self) -> dict[str, Any]:
        sizes = None if self._shape.ndims is None else self._shape.as_tuple()
        return {"handle": self._handle, "dtype": self._dtype.name, "shape": sizes}

    @property
    def name(self) -> str:
        """The name, ``variable:0``."""
        return f"{self._name}:0"

    @property
    def handle(self) -> str:
        """The key of the value, which every operation that uses it carries."""
        return self._handle

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def op(self) -> Operation:
        """The operation of the variable."""
        return self._as_graph_element().op

    @property
    def graph(self) -> Graph:
        """The graph that the variable belongs to."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device name of the variable, ``""`` for one of eager mode."""
        return "" if self._element is None else self.op.device

    @property
    def initializer(self) -> Operation:
        """The operation that assigns the initial value."""
        return _in_graph_mode(self, self._initializer, "initializer")

    @property
    def initial_value(self) -> Tensor:
        """The tensor that the variable starts with."""
        return _in_graph_mode(self, self._initial_value, "initial_value")

    def get_shape(self) -> TensorShape:
        """Return the static shape."""
        return self._shape

    def value(self) -> Tensor:
        """Return the value at this point of the program."""
        return self.read_value()

    def read_value(self) -> Tensor:
        """Return the value at this point of the program."""
        self._check_graph()
        record_read(self)
        name, graph = None, get_default_graph()
        if not executing_eagerly():
            name = f"{self._name}/read"
            graph.read[self._handle] = self
        with graph.name_scope(None):
            value: Tensor = apply("ReadVariableOp", name=name, **self._key())
        return value

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Return whether the variable has a value."""
        self._check_graph()
        return apply_one("IsVariableInitialized", handle=self._handle, name=name)

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Assign a value; return the new value, or only the operation."""
        return self._change("Assign", value, name, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Add to the value; return the new value, or only the operation."""
        return self._change("AssignAdd", delta, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtract from the value; return the new value, or only the operation."""
        return self._change("AssignSub", delta, name, read_value)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replace the rows of a `tf.IndexedSlices`; return the new value."""
        return self._scatter_rows("TensorScatterUpdate", sparse_delta, name)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Add the rows of a `tf.IndexedSlices`; return the new value."""
        return self._scatter_rows("TensorScatterAdd", sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtract the rows of a `tf.IndexedSlices`; return the new value."""
        return self._scatter_rows("TensorScatterSub", sparse_delta, name)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Raise rows to those of a `tf.IndexedSlices`; return the new value."""
        return self._scatter_rows("TensorScatterMax", sparse_delta, name)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Lower rows to those of a `tf.IndexedSlices`; return the new value."""
        return self._scatter_rows("TensorScatterMin", sparse_delta, name)

    def scatter_nd_update(
        self, indices: Any, updates: Any, name: str | None = None
    ) -> Any:
        """Replace elements or slices; return the new value.

        Parameters are those of `tf.tensor_scatter_nd_update`.
        """
        return self._scatter("TensorScatterUpdate", indices, updates, name)

    def scatter_nd_add(
        self, indices: Any, updates: Any, name: str | None = None
    ) -> Any:
        """Add to elements or slices; see `scatter_nd_update`."""
        return self._scatter("TensorScatterAdd", indices, updates, name)

    def scatter_nd_sub(
        self, indices: Any, updates: Any, name: str | None = None
    ) -> Any:
        """Subtract from elements or slices; see `scatter_nd_update`."""
        return self._scatter("TensorScatterSub", indices, updates, name)

    def scatter_nd_max(
        self, indices: Any, updates: Any, name: str | None = None
    ) -> Any:
        """Raise elements or slices to the updates; see `scatter_nd_update`."""
        return self._scatter("TensorScatterMax", indices, updates, name)

    def scatter_nd_min(
        self, indices: Any, updates: Any, name: str | None = None
    ) -> Any:
        """Lower elements or slices to the updates; see `scatter_nd_update`."""
        return self._scatter("TensorScatterMin", indices, updates, name)

    def _scatter_rows(self, op: str, rows: Any, name: str | None) -> Any:
        if not (hasattr(rows, "indices") and hasattr(rows, "values")):
            argument = "tf.Variable.scatter_*: sparse_delta"
            raise wrong_type(argument, "a tf.IndexedSlices", rows)
        places: Tensor = apply("ExpandDims", rows.indices, axis=-1)
        return self._scatter(op, places, rows.values, name)

    def _scatter(self, op: str, indices: Any, updates: Any, name: str | None) -> Any:
        places = convert_to_tensor(indices)
        news = convert_to_tensor(updates, dtype_hint=self._dtype)
        value: Tensor = apply(op, self.read_value(), places, news)
        return self.assign(value, name=name)

    def _change(self, op: str, value: Any, name: str | None, read_value: bool) -> Any:
        self._check_graph()
        try:
            tensor = convert_to_tensor(value, dtype_hint=self._dtype)
            assigned: Tensor = apply(op, tensor, name=name, **self._key())
        except (TypeError, ValueError) as error:
            raise type(error)(f"variable {self._name!r}: {error}") from None
        return assigned if read_value or executing_eagerly() else assigned.op

    def _take_deferred_value(self) -> None:
        """Let deferred restores of checkpoints set the initial value."""
        for key in self._awaits & set(deferred):
            with init_scope():  # the first use may be within a tf.function
                handles = deferred[key]()
            if self._handle in handles:
                self._awaits.discard(key)
        self._awaits &= set(deferred)

    def _check_graph(self) -> None:
        if self._awaits:
            self._take_deferred_value()
        here = get_default_graph()
        if self._element is not None and self._element.graph is not here:
            raise codes.OTHER_GRAPH.value_error(
                f"the variable {self._name!r}, made at {self._element.op.site}, "
                "belongs to another graph than the current one; make and use it in one "
                "graph"
            )

    def load(self, value: Any, session: Any = None) -> None:
        """Set the value in `session`, without adding to the graph."""
        chosen = session_for(session, self.graph)
        chosen.run(self.initializer, feed_dict={self.initial_value: value})

    def restore(self, value: Any, session: Any = None) -> None:
        """Set the value from a checkpoint, in `session` or in eager mode."""
        if executing_eagerly():
            self._awaits = set()
            self.assign(value)
        else:
            self.load(value, session)

    def eval(self, session: Any = None) -> Any:
        """Evaluate the variable in `session`, by default the current one."""
        return self._as_graph_element().eval(session=session)

    def numpy(self) -> Any:
        """Return the value as a NumPy array, in eager mode."""
        value = self.read_value()
        if not hasattr(value, "numpy"):
            raise coded(
                AttributeError,
                f"the variable {self._name!r} has a NumPy value in eager mode only; "
                "use tf.Session().run(variable)",
                code=codes.WRONG_MODE,
            )
        return value.numpy()

    @property
    def _unique_id(self) -> str:
        """The key that libraries know the variable by, one for all its components."""
        return self._distributed_container()._handle

    def _distributed_container(self) -> Variable:
        """Return the variable that this one is a component of, or itself."""
        return self

    def _as_graph_element(self) -> Tensor:
        return _in_graph_mode(self, self._element, "place in a graph")

    def _as_tensor(self) -> Tensor:
        return self.read_value()

    def __bool__(self) -> bool:
        return bool(self.read_value())

    def __int__(self) -> int:
        return int(self.read_value())

    def __float__(self) -> float:
        return float(self.read_value())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.read_value().__array__(dtype, copy)

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.read_value())

    def __repr__(self) -> str:
        return (
            f"<tf.Variable {self.name!r} shape={self._shape} dtype={self._dtype.name}>"
        )


def variable_of(value: Any) -> Any:
    """Return the variable that an object of a library stands for, or `value` itself."""
    if getattr(value, "_should_act_as_resource_variable", False):
        held = getattr(value, "value", value)
        return held if isinstance(held, Variable) else value
    return value


Part = TypeVar("Part")


def _in_graph_mode(variable: Variable, part: Part | None, name: str) -> Part:
    if part is None:
        raise coded(
            AttributeError,
            f"the variable {variable.name!r} was made in eager mode, where it has its "
            f"value at once and no {name}",
            code=codes.WRONG_MODE,
        )
    return part


def global_variables(scope: str | None = None) -> list[Any]:
    """Return the variables of the default graph, optionally those below `scope`."""
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """Return the local variables of the default graph."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Return the trainable variables of the default graph."""
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """Return the model variables of the default graph."""
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Return the variables of the default graph that have moving averages."""
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def is_variable_initialized(variable: Variable) -> Tensor:
    """Return whether the variable has a value."""
    argument = "tf.is_variable_initialized: variable"
    return instance_of(Variable, argument, "a variable", variable).is_initialized()


def _require_variable(function: str, ref: Any) -> Variable:
    return instance_of(Variable, f"{function}: ref", "a variable", ref)


def assign(
    ref: Variable,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Give the variable `ref` a new value and return it."""
    return _require_variable("tf.assign", ref).assign(value, name=name)


def assign_add(
    ref: Variable, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Add `value` to the variable `ref` and return the new value."""
    return _require_variable("tf.assign_add", ref).assign_add(value, name=name)


def assign_sub(
    ref: Variable, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Subtract `value` from the variable `ref` and return the new value."""
    return _require_variable("tf.assign_sub", ref).assign_sub(value, name=name)


class _MadeAsVariable(_MadeByCreators):
    """Metaclass of `VariableV2`: its calls create a `Variable`, which is its instance.

    The two differ in the parameters of the call alone; programs ask whether something
    is a ``tf.Variable`` of either release.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not VariableV2:
            return super().__call__(*args, **kwargs)
        arguments = (
            inspect.signature(cls.__init__).bind(None, *args, **kwargs).arguments
        )
        del arguments["self"]
        arguments.pop("experimental_enable_variable_lifting", None)
        return Variable(**arguments)

    def __instancecheck__(cls, value: Any) -> bool:
        if cls is VariableV2:
            return isinstance(value, Variable)
        return super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, Variable) if cls is VariableV2 else cls in kind.__mro__


class VariableV2(Variable, metaclass=_MadeAsVariable):
    """`Variable`, with the parameters of TensorFlow 2.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     v = VariableV2(1.0, True, name="one")
    >>> v.name, isinstance(v, VariableV2), type(v).__name__
    ('one:0', True, 'Variable')
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: None = None,
        dtype: Any = None,
        import_scope: None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        super().__init__(
            initial_value,
            trainable,
            validate_shape=validate_shape,
            name=name,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=shape,
        )
