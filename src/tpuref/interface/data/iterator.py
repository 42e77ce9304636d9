"""Define iterators, which return the elements of a dataset one by one."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, MutableMapping, Sequence
from collections.abc import Iterator as Values
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import name_or, wrong_type
from tpuref.base.dtypes import float32
from tpuref.base.errors import OutOfRangeError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.build import apply_all, apply_operation
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.eager import STATE
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.lowering import lower, needed_operations
from tpuref.engine.graph.range_loops import one_for_all
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.host import run_program
from tpuref.engine.runtime.meaning.iteration import Iteration
from tpuref.engine.runtime.meaning.run import Run
from tpuref.interface.data.element import (
    WHOLE,
    NoElement,
    NoneElement,
    declared,
    mapped,
    specs_of,
    with_sparse,
)
from tpuref.interface.data.stage import Pass, Stage
from tpuref.interface.data.type_specs import spec_of_component, type_of_component
from tpuref.interface.functions.control_flow import while_loop
from tpuref.interface.functions.optional import Optional
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.names.members import explain_missing_members

_eager_serial = itertools.count()

_TRUE = np.array(True)
_EAGER_EPOCHS: MutableMapping[Any, int] = WeakKeyDictionary()
_EAGER_KEPT: MutableMapping[Any, Any] = WeakKeyDictionary()


def _public_spec(spec: Any) -> TensorSpec:
    """Return the spec of a component, as users see it."""
    if isinstance(spec, (NoElement, NoneElement)):
        return TensorSpec(None, float32)
    if not isinstance(spec, WHOLE):
        seen: TensorSpec = spec
        return seen
    described = spec_of_component(spec)
    return TensorSpec(described.shape, described.dtype)


class ElementDescription:
    """The structure, types and shapes of elements."""

    element: Any

    @property
    def output_types(self) -> Any:
        """The dtype of each component, in the structure of an element."""
        return mapped(self.element, lambda spec: _public_spec(spec).dtype, WHOLE)

    @property
    def output_shapes(self) -> Any:
        """The `TensorShape` of each component, in the structure of an element."""
        return mapped(self.element, lambda spec: _public_spec(spec).shape, WHOLE)

    @property
    def output_classes(self) -> Any:
        """The class of each component, in the structure of an element."""
        return mapped(self.element, type_of_component, WHOLE)

    @property
    def element_spec(self) -> Any:
        """The `tf.TensorSpec` of each component, in the structure of an element."""
        return mapped(self.element, spec_of_component, WHOLE)

    def _description(self) -> str:
        shapes = mapped(self.output_shapes, str)
        types = mapped(self.output_types, lambda dtype: dtype.name)
        return f"shapes: {shapes}, types: {types}".replace("'", "")


@explain_missing_members("tf.data.Iterator")
class Iterator(ElementDescription):
    """Returns the next element of a dataset at each evaluation, in graph mode.

    Create iterators with ``dataset.make_one_shot_iterator()``,
    ``dataset.make_initializable_iterator()`` or `from_structure`.  The session keeps
    their position.  See 001_66db0865fe92828f.txt, distribute_dataset and
    run_steps_on_dataset.

    Examples
    --------
    >>> iterator = tf.data.Dataset.range(2).make_one_shot_iterator()
    >>> value = iterator.get_next()
    >>> with tf.Session() as sess:
    ...     print(sess.run(value), sess.run(value))
    ...     try:
    ...         sess.run(value)
    ...     except tf.errors.OutOfRangeError:
    ...         print("no more")
    0 1
    no more
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        element: Any,
        initializer: Operation | None = None,
        token: int | None = None,
        no_initializer: str = "",
    ) -> None:
        self.graph = graph
        self.handle = name
        self.element = element
        self.token = token
        self._initializer = initializer
        self._no_initializer = no_initializer

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator at the first element.

        It raises ValueError if the iterator starts by itself, or with
        `make_initializer`.
        """
        if self._initializer is None:
            raise codes.WRONG_MODE.value_error(f"{self._no_initializer}")
        return self._initializer

    def get_next(self, name: str | None = None) -> Any:
        """Return the next element.

        Each evaluation consumes one element; the tensors of one call belong to the same
        element.  At evaluation it raises `tf.errors.OutOfRangeError` if the dataset has
        no more elements, and `tf.errors.FailedPreconditionError` if the iterator was
        not initialized.
        """
        return self._pack(self._take_element("IteratorGetNext", name))

    def get_next_as_optional(self) -> Optional:
        """Return the next element as a `tf.experimental.Optional`.

        It has no value after the last element; elements are never out of range.
        """
        *tensors, present = self._take_element("IteratorGetNextAsOptional", None)
        return Optional(self._pack(tensors), present, self.element_spec)

    def _take_element(self, op: str, name: str | None) -> list[Tensor]:
        specs = specs_of(self.element)
        return apply_all(
            op,
            name=name_or(name, op),
            iterator=self.handle,
            token=self.token,
            dtypes=tuple(spec.dtype.name for spec in specs),
            shapes=tuple(_plain(spec.shape) for spec in specs),
        )

    def _pack(self, tensors: Sequence[Tensor]) -> Any:
        return with_sparse(nest.pack_sequence_as(self.element, tensors), self.element)

    def __next__(self) -> Any:
        if not get_default_graph().traced:
            raise codes.WRONG_MODE.runtime_error(
                "next(iterator): outside of tf.function and eager mode an iterator of "
                "a graph gives its elements with iterator.get_next()"
            )
        return self.get_next()

    def __iter__(self) -> Values[Any]:
        if not get_default_graph().traced:
            next(self)
        return _elements_in_loop(self)

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """Return the operation that starts the iterator on `dataset`.

        The dataset has elements of the iterator's types and shapes.  It raises
        TypeError if the elements of `dataset` have a different structure, type or
        shape.
        """
        stage: Any = getattr(dataset, "stage", None)
        if not isinstance(stage, Stage):
            argument = "Iterator.make_initializer: dataset"
            raise wrong_type(argument, "a tf.data.Dataset", dataset)
        _check_same(self.element, stage.element)
        return initializer(self.graph, self.handle, stage, name)

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """Return an iterator for any dataset with elements of these types and shapes.

        `output_types` is a dtype for each component, in the structure of an element.
        `output_shapes` is a shape for each component; unknown shapes by default.

        Examples
        --------
        >>> iterator = tf.data.Iterator.from_structure(tf.int64, [])
        >>> value = iterator.get_next()
        >>> few = iterator.make_initializer(tf.data.Dataset.range(10, 12))
        >>> with tf.Session() as sess:
        ...     sess.run(few)
        ...     int(sess.run(value))
        10
        """
        element = declared("Iterator.from_structure", output_types, output_shapes)
        graph = get_default_graph()
        return Iterator(
            graph,
            graph.unique_name("Iterator"),
            element,
            no_initializer=(
                "Iterator.initializer: this iterator has no dataset yet; use "
                "Iterator.make_initializer(dataset)"
            ),
        )

    def __repr__(self) -> str:
        return f"<tf.data.Iterator {self._description()}>"


def in_loop(stage: Stage) -> Values[Any]:
    """Yield one element of a dataset for the body of a loop in a traced function."""
    return _elements_in_loop(initializable(get_default_graph(), stage))


def reduced(stage: Stage, start: Any, function: Callable[[Any, Any], Any]) -> Any:
    """Return the state after all elements, in graph mode."""
    iterator = initializable(get_default_graph(), stage)

    def body(state: Any, element: Optional) -> tuple[Any, Optional]:
        return function(state, element.get_value()), iterator.get_next_as_optional()

    with control_dependencies([iterator.initializer]):
        first = iterator.get_next_as_optional()
    return while_loop(lambda _, element: element.has_value(), body, (start, first))[0]


def _elements_in_loop(iterator: Iterator) -> Values[Any]:
    frame = sys._getframe(1)
    take = "IteratorGetNextAsOptional"
    yield from one_for_all(
        frame,
        list(frame.f_locals),
        iterator._take_element(take, None),
        lambda carried: carried[-1],
        lambda carried: iterator._pack(carried[:-1]),
        lambda carried: iterator._take_element(take, None),
        "    [{names}] = dataset.reduce([{names}], body)\n"
        "where body([{names}], element) returns the list of their new values",
    )


def _plain(shape: TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else shape.as_tuple()


def _check_same(iterator: Any, dataset: Any) -> None:
    nest.assert_same_structure(iterator, dataset, a_name="iterator", b_name="dataset")
    for own, other in zip(specs_of(iterator), specs_of(dataset), strict=True):
        if own.dtype != other.dtype or not own.shape.is_compatible_with(other.shape):
            raise codes.WRONG_MODE.type_error(
                "Iterator.make_initializer: the iterator has elements "
                f"{[spec.describe() for spec in specs_of(iterator)]}, the dataset "
                f"{[spec.describe() for spec in specs_of(dataset)]}; create the "
                "iterator from dataset.output_types and dataset.output_shapes"
            )


def initializer(
    graph: Graph, iterator: str, stage: Stage, name: str | None = None
) -> Operation:
    """Return the operation that begins a pass of `stage` for an iterator."""

    def begin(values: Sequence[Array], run: Run) -> Iteration:
        known = dict(zip(stage.captured, values, strict=True))
        return Iteration(stage.pass_of(known, run))

    with graph.as_default():
        return apply_operation(
            "MakeIterator",
            *stage.captured,
            name=name_or(name, "MakeIterator"),
            iterator=iterator,
            token=_token(graph, begin),
        )


def one_shot(graph: Graph, stage: Stage) -> Iterator:
    """Return an iterator that starts at its first use in a session."""
    _check_self_contained(stage)

    def begin(values: Sequence[Array], run: Run) -> Iteration:
        arrays = run_program(lower(stage.captured, (), ()), [], run)
        return Iteration(
            stage.pass_of(dict(zip(stage.captured, arrays, strict=True)), run)
        )

    return Iterator(
        graph,
        graph.unique_name("OneShotIterator"),
        stage.element,
        token=_token(graph, begin),
        no_initializer=(
            "Iterator.initializer: a one-shot iterator starts by itself; use "
            "dataset.make_initializable_iterator()"
        ),
    )


def initializable(graph: Graph, stage: Stage) -> Iterator:
    """Return an iterator that its initializer starts."""
    name = graph.unique_name("Iterator")
    return Iterator(graph, name, stage.element, initializer(graph, name, stage))


def _token(graph: Graph, begin: Any) -> int:
    token = len(graph.host_functions)
    graph.host_functions[token] = begin
    return token


def _check_self_contained(stage: Stage) -> None:
    operations = needed_operations(stage.captured, (), set())
    used = [
        op.name for op in operations if op.definition.traits.fed or op.definition.reads
    ]
    if used or stage.variables:
        raise codes.WRONG_MODE.value_error(
            "Dataset.make_one_shot_iterator: the dataset depends on "
            f"{sorted({*used, *stage.variables})}, whose values are unknown when the "
            "iterator starts by itself; use make_initializable_iterator() and run its "
            "initializer"
        )


class EagerIterator(Iterator):
    """Returns the elements of a dataset one by one, in eager mode.

    >>> with tf.eager_execution():
    ...     for value in tf.data.Dataset.range(3):
    ...         print(int(value))
    0
    1
    2
    """

    def __init__(self, stage: Stage) -> None:
        self.element = stage.element
        self._initializer = None
        self._no_initializer = "Iterator.initializer: in eager mode it starts by itself"
        self._handle = f"{stage.name}#{next(_eager_serial)}"
        current = Pass(variables=STATE, epochs=_EAGER_EPOCHS, kept=_EAGER_KEPT)
        self._iteration = Iteration(stage.started(current))

    @functools.cached_property
    def _kind(self) -> Any:
        kinds = tuple(spec.describe() for spec in specs_of(self.element))
        return repr(mapped(self.element, lambda spec: 0)), kinds

    def _traced_key(self) -> Any:
        """Return the cache key of its elements' specs, for `tpuref.engine.tracing`."""
        return self._kind

    def _traced(self) -> Iterator:
        """Return the stand-in of the iterator while a function is traced."""
        return Iterator(get_default_graph(), f"traced#{self._handle}", self.element)

    def _bind(self, stand_in: Any) -> None:
        """Take the elements of this iterator from a stand-in."""
        STATE.lend_iteration(stand_in.handle, self._iteration)

    def get_next(self, name: str | None = None) -> Any:
        """Return the next element.

        It raises tf.errors.OutOfRangeError if there is no further element.
        """
        if not executing_eagerly():  # in a traced function that captures the iterator
            own = Iterator(get_default_graph(), self._handle, self.element)
            self._bind(own)
            return own.get_next(name)
        return self._pack([EagerTensor.of(array) for array in self._iteration.next()])

    def get_next_as_optional(self) -> Optional:
        """Return the next element as a `tf.experimental.Optional`."""
        if not executing_eagerly():
            own = Iterator(get_default_graph(), self._handle, self.element)
            self._bind(own)
            return own.get_next_as_optional()
        try:
            return Optional(self.get_next(), EagerTensor.of(_TRUE), self.element_spec)
        except OutOfRangeError:
            return Optional.empty(self.element_spec)

    def next(self) -> Any:
        """Return the next element; StopIteration at the end."""
        return self.__next__()

    def __iter__(self) -> Values[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None
