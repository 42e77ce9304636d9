"""``tf.function``: Python functions traced once for each kind of call."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import name_or
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.context import context
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import (
    begin_eagerly,
    eager_execution,
    executing_eagerly,
    get_default_graph,
)
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.runtime.log import advice
from tpuref.engine.tracing.arguments import Call, is_composite, leaves_of, taken_apart
from tpuref.engine.tracing.nested import NestedCalls
from tpuref.engine.tracing.trace import ConcreteFunction
from tpuref.names.members import explain_missing_members

_Given = ParamSpec("_Given")
_Rest = ParamSpec("_Rest")
_Like = ParamSpec("_Like")
_Result = TypeVar("_Result")
_Instance = TypeVar("_Instance")

_log = advice()

_MANY_TRACES = 5
"""The number of traces in a row from which retracing is reported."""


class _Mode(threading.local):
    """Whether functions run operation by operation in this thread."""

    untraced = 0


_mode = _Mode()
_everywhere = [False]


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let ``tf.function`` run operation by operation, for debugging, or end that."""
    _everywhere[0] = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Return whether ``tf.function`` runs operation by operation."""
    return _everywhere[0]


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Let functions run operation by operation in this thread's ``with`` block."""
    _mode.untraced += 1
    try:
        yield
    finally:
        _mode.untraced -= 1


@explain_missing_members("tf.types.experimental.GenericFunction")
class Function(Generic[_Given, _Result]):
    """A Python function that is traced and then runs as one program.

    `name` is used in messages.  If `relaxed`, later traces leave sizes open that differ
    between calls.  If `compiled`, it must not need the host while it runs.
    """

    def __init__(
        self,
        python_function: Callable[_Given, _Result],
        name: str | None = None,
        input_signature: Any = None,
        relaxed: bool = False,
        compiled: bool = False,
    ) -> None:
        self.python_function = python_function
        own: str = getattr(python_function, "__name__", "function")
        self.name = name_or(name, own)
        self.input_signature = input_signature
        self._relaxed, self._compiled = relaxed, compiled
        self._parameters = inspect.signature(python_function)
        self._traces: dict[Any, list[ConcreteFunction]] = {}
        self._nested = NestedCalls()
        self._made_variables = False
        self._in_a_row = 0
        self._bound: weakref.WeakKeyDictionary[Any, Function[..., _Result]] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = threading.RLock()
        functools.update_wrapper(self, python_function)

    # -- calls -------------------------------------------------------------------------

    def __call__(self, *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        """Run the program for these arguments, tracing the function if necessary."""
        # Within a graph, its operations join that graph; a tape must record each of
        # them. In the trace of another function, later calls copy the first one.
        graph = get_default_graph()
        if graph.traced and not executing_eagerly():
            nested: _Result = self._nested.run(
                self._traced, self._call(args, kwargs, check=False), graph
            )
            return nested
        if not executing_eagerly() or context.recorders:
            with self._compiling():
                return self.python_function(*args, **kwargs)
        if _mode.untraced or _everywhere[0]:
            return self.python_function(*args, **kwargs)
        call = self._call(args, kwargs)
        traced: _Result = self._trace_for(call).run(call.values, call.iterators)
        return traced

    @contextlib.contextmanager
    def _compiling(self) -> Iterator[None]:
        """Let operations know which function has to be compiled."""
        if not self._compiled:
            yield
            return
        context.compiled.append(self.name)
        try:
            yield
        finally:
            context.compiled.pop()

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for some arguments; `tf.TensorSpec` may stand for tensors.

        With an ``input_signature`` there are no arguments.
        """
        if self.input_signature is not None and not args and not kwargs:
            args = tuple(self.input_signature)
        specs: list[TensorSpec] = []

        def example(leaf: Any) -> Any:
            if is_composite(leaf):
                return leaf._with_parts([example(p) for p in leaf._traced_parts()])
            if isinstance(leaf, Tensor) and not isinstance(leaf, EagerTensor):
                leaf = leaf.spec
            if not isinstance(leaf, TensorSpec):
                return leaf
            sizes = [1 if n is None else n for n in leaf.shape.as_tuple()]
            specs.append(leaf)
            return np.zeros(sizes, leaf.dtype.np)

        with eager_execution():
            filled = nest.map_structure(example, [list(args), dict(kwargs)])
            call = self._call(tuple(filled[0]), filled[1], check=False)
        wanted = tuple(specs) if len(specs) == len(call.values) else None
        return self._trace_for(call, wanted)

    def experimental_get_tracing_count(self) -> int:
        """Return the number of traces."""
        return sum(len(traces) for traces in self._traces.values())

    def _call(self, args: Any, kwargs: Any, check: bool = True) -> Call:
        if self.input_signature is not None and check:
            args, kwargs = self._match_signature(args, kwargs), {}
        bound = self._parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        return taken_apart(dict(bound.arguments))

    def _match_signature(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """Convert the arguments to tensors of the signature."""
        bound = self._parameters.bind(*args, **kwargs)
        given = [*bound.args, *bound.kwargs.values()]
        return tuple(self._convert_as(list(self.input_signature), given))

    def _convert_as(self, wanted: Any, value: Any) -> Any:
        """Convert a value to the signature's structure; a list may become a tensor."""
        if isinstance(wanted, TensorSpec):
            return self._convert_leaf(wanted, value)
        if is_composite(wanted) and is_composite(value):
            parts = self._convert_as(wanted._traced_parts(), value._traced_parts())
            return value._with_parts(parts)
        nested = isinstance(value, type(wanted)) and nest.is_nested(wanted)
        if nested and len(wanted) == len(value):
            if not isinstance(wanted, dict):
                parts = [
                    self._convert_as(w, g) for w, g in zip(wanted, value, strict=True)
                ]
                named = hasattr(wanted, "_fields")
                return type(wanted)(*parts) if named else type(wanted)(parts)
            if wanted.keys() == value.keys():
                return {
                    key: self._convert_as(wanted[key], value[key]) for key in wanted
                }
        raise codes.OTHER_SIGNATURE.value_error(
            f"tf.function {self.name!r}: {value!r} has a different structure than "
            f"{wanted!r} of input_signature"
        )

    def _convert_leaf(self, spec: TensorSpec, value: Any) -> Any:
        try:
            tensor = convert_to_tensor(value, spec.dtype)
        except (TypeError, ValueError) as error:
            fault = str(error)
        else:
            if spec.shape.is_compatible_with(tensor.shape):
                return tensor
            fault = f"its shape is {tensor.shape}"
        raise codes.OTHER_SIGNATURE.value_error(
            f"tf.function {self.name!r}: expected {spec.describe()} as in "
            f"input_signature, got {value!r}: {fault}"
        )

    # -- traces ------------------------------------------------------------------------

    def _trace_for(
        self, call: Call, wanted: tuple[TensorSpec, ...] | None = None
    ) -> ConcreteFunction:
        # The cache key holds the structure and the fixed parts of the call; below it,
        # traces differ by the specs of the values. A trace serves every call whose
        # specs its own cover, so a trace with open sizes ends retracing. A relaxed
        # function gets one from the second shape on: its next trace covers the last
        # trace and this call.
        with self._lock:
            known = self._traces.setdefault(call.key, [])
            specs = wanted or self._specs(call)
            for trace in known:
                if _accepts(trace.specs, specs):
                    self._in_a_row = 0
                    return trace
            if self._relaxed and known:
                specs = tuple(map(_common_spec, known[-1].specs, specs))
            trace = self._new_trace(call, specs)
            known.append(trace)
            self._warn_of_traces()
            return trace

    def _specs(self, call: Call) -> tuple[TensorSpec, ...]:
        if self.input_signature is not None:
            return tuple(leaves_of(list(self.input_signature), TensorSpec))
        return tuple(value.spec for value in call.values)

    def _new_trace(self, call: Call, specs: Sequence[TensorSpec]) -> ConcreteFunction:
        trace = self._trace(call, specs, not self._made_variables)
        if trace.variables_made:
            self._made_variables = True
            # Only the first trace may create variables. A second trace, in which the
            # function finds them, leaves their creation out of the program.
            trace = self._trace(call, specs, False)
        return trace

    def _trace(
        self,
        call: Call,
        specs: Sequence[TensorSpec],
        may_make_variables: bool,
        once: bool = False,
    ) -> ConcreteFunction:
        return ConcreteFunction(
            self._traced, self.name, call, specs, may_make_variables, once
        )

    def _traced(self, arguments: dict[str, Any]) -> _Result:
        bound: Any = inspect.BoundArguments(self._parameters, arguments)
        with self._compiling():
            return self.python_function(*bound.args, **bound.kwargs)

    def _warn_of_traces(self) -> None:
        self._in_a_row += 1
        if self._in_a_row == _MANY_TRACES:
            _log.warning(
                "tf.function %r was traced %d times in a row, which is slow; pass "
                "tensors instead of Python numbers, use equal shapes or "
                "reduce_retracing=True, or define it outside of the loop [%s]",
                self.name,
                self._in_a_row,
                codes.MANY_TRACES,
            )

    # -- methods -----------------------------------------------------------------------

    @overload
    def __get__(
        self, instance: None, owner: Any = None
    ) -> Function[_Given, _Result]: ...
    @overload
    def __get__(
        self: Function[Concatenate[_Instance, _Rest], _Result],
        instance: _Instance,
        owner: Any = None,
    ) -> Function[_Rest, _Result]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        try:
            if instance not in self._bound:
                self._bound[instance] = self._bind_to(instance)
            return self._bound[instance]
        except TypeError:  # not hashable, or without weak references
            return functools.partial(self, instance)

    def _bind_to(self, instance: Any) -> Function[..., _Result]:
        """Return the function as a method of an object, held by a weak reference."""
        function, referred = self.python_function, weakref.ref(instance)

        def method(*args: Any, **kwargs: Any) -> _Result:
            return function(referred(), *args, **kwargs)  # type: ignore[arg-type]

        functools.update_wrapper(method, function)
        bound = inspect.signature(types.MethodType(function, instance))
        method.__signature__ = bound  # type: ignore[attr-defined]
        return self._like(method)

    def _like(self, inner: Callable[_Like, _Result]) -> Function[_Like, _Result]:
        """Return another function, traced in the same way."""
        signature = self.input_signature
        return Function(inner, self.name, signature, self._relaxed, self._compiled)

    def once(self, *args: Any, **kwargs: Any) -> Any:
        """Trace the function for this call only, and run it.

        It may create variables, and may return objects that are not tensors.
        """
        call = self._call(args, kwargs)
        specs = self._specs(call)
        return self._trace(call, specs, True, True).run(call.values, call.iterators)

    def wrapped_in(self, outer: Callable[..., Any]) -> Function[_Given, Any]:
        """Return a function that calls ``outer(python_function, *args, **kwargs)``."""
        inner = self.python_function

        @functools.wraps(inner)
        def called(*args: Any, **kwargs: Any) -> Any:
            return outer(inner, *args, **kwargs)

        return self._like(called)

    def __repr__(self) -> str:
        return f"<tf.function {self.name!r}>"


def _accepts(traced: Sequence[TensorSpec], specs: Sequence[TensorSpec]) -> bool:
    """Whether a trace accepts values of these specs."""
    return all(
        t.dtype == g.dtype and _covers(t.shape, g.shape)
        for t, g in zip(traced, specs, strict=True)
    )


def _covers(wide: TensorShape, narrow: TensorShape) -> bool:
    if wide.rank is None:
        return True
    return wide.rank == narrow.rank and all(
        w is None or w == n
        for w, n in zip(wide.as_tuple(), narrow.as_tuple(), strict=True)
    )


def _common_spec(first: TensorSpec, second: TensorSpec) -> TensorSpec:
    """Return the most specific spec that covers both."""
    shape = first.shape.most_specific_compatible_shape(second.shape)
    return TensorSpec(shape, second.dtype)


class _Decorator(Protocol):
    def __call__(
        self, inner: Callable[_Given, _Result], /
    ) -> Function[_Given, _Result]: ...


@overload
def function(
    func: Callable[_Given, _Result],
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Function[_Given, _Result]: ...
@overload
def function(
    func: None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> _Decorator: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Return a function that is traced once for each kind of call.

    Called in eager mode, it runs as one program.  Within a graph, another function, or
    a `tf.GradientTape`, its operations join the surrounding graph or tape; within
    another function, later calls of the same kind copy those of the first.

    Parameters
    ----------
    func
        The function, else it raises TypeError; None to get a decorator.
    input_signature
        A list with a `tf.TensorSpec`, or a nest of those, for each argument: the
        function is then traced once and accepts only such arguments.
    experimental_relax_shapes, reduce_retracing
        Whether to leave sizes open that differ between calls, from the second on.
    jit_compile, experimental_compile
        Whether functions of the host, such as `tf.py_function`, are refused: TensorFlow
        compiles such a function by XLA as a whole.  Here `tf.config.executor` says what
        runs it.
    autograph, experimental_implements, experimental_autograph_options, experimental_follow_type_hints
        Accepted for compatibility.  Python's ``if`` and ``while`` are never rewritten:
        over a tensor they are an error that shows the equivalent to write.

    Examples
    --------
    >>> import tpuref as tf
    >>> @tf.function
    ... def squared(x):
    ...     print("traced")
    ...     return x * x
    >>> with tf.eager_execution():
    ...     float(squared(tf.constant(3.0))), float(squared(tf.constant(4.0)))
    traced
    (9.0, 16.0)
    """  # noqa: E501
    begin_eagerly()

    def decorated(inner: Callable[..., Any]) -> Function[..., Any]:
        if not callable(inner):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                f"tf.function: func must be callable, got {inner!r}"
            )
        relaxed = bool(experimental_relax_shapes or reduce_retracing)
        compiled = bool(jit_compile or experimental_compile)
        return Function(inner, None, input_signature, relaxed, compiled)

    return decorated if func is None else decorated(func)


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Return a function unchanged: `tf.function` never rewrites Python.

    Without a function, return a decorator.

    Examples
    --------
    >>> @tf.autograph.experimental.do_not_convert
    ... def doubled(x):
    ...     return 2 * x
    >>> doubled(3)
    6
    """
    return (lambda function: function) if func is None else func
