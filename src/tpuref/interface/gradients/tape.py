"""Tapes: record operations and differentiate them later."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, overload

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import hashable, wrong_type
from tpuref.engine.differentiation.blocks import gradients_of_block
from tpuref.engine.differentiation.gradients import finished, seeds_of
from tpuref.engine.differentiation.options import UnconnectedGradients
from tpuref.engine.differentiation.walk import (
    Source,
    Walk,
    is_differentiable,
    passes_back,
    taken_by,
)
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.context import context
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable, variable_of
from tpuref.interface.functions.creation import one_hot, zeros
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reshaping import reshape, transpose
from tpuref.interface.gradients.jacobians import jacobians, stacked

_Key = TypeVar("_Key")
_Source = TypeVar("_Source", bound=Tensor | Variable)


class GradientTape:
    """Record operations and differentiate them, in eager mode and in graphs.

    Trainable variables are watched when they are read; tensors have to be watched.
    `persistent` says whether `gradient` and `jacobian` can be called more than once.
    `watch_accessed_variables` says whether trainable variables that are read are
    watched.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.constant(3.0)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...     print(tape.gradient(y, x).numpy())
    6.0
    """

    def __init__(
        self, persistent: bool = False, watch_accessed_variables: bool = True
    ) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._used = False
        self._start()

    def _start(self) -> None:
        self._steps: list[Any] = []
        self._reached: set[Source] = set()
        self._variables: dict[str, Variable] = {}

    # -- recording -----------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self in context.recorders:
            raise codes.NOT_RECORDING.value_error(
                "tf.GradientTape: the tape is already recording; use another tape"
            )
        context.recorders.append(self)
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def _end(self) -> None:
        if self in context.recorders:
            context.recorders.remove(self)

    def record(self, operation: Any) -> None:
        """Record an operation that depends on a watched source."""
        if not any(source in self._reached for source in taken_by(operation)):
            return
        self._steps.append(operation)
        if passes_back(operation):
            self._reached.update(
                t for t in operation.outputs if is_differentiable(t.dtype)
            )

    def record_read(self, variable: Variable) -> None:
        """Watch a trainable variable that is about to be read."""
        if self._watch_accessed and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Variable) -> None:
        self._variables.setdefault(variable.handle, variable)
        self._reached.add(variable.handle)

    def watch(self, tensor: Any) -> None:
        """Watch a tensor or variable, or a nest of those."""
        for one in nest.flatten(tensor):
            one = variable_of(one)
            if not isinstance(one, (Tensor, Variable)) or not is_differentiable(
                one.dtype
            ):
                raise codes.INVALID_ARGUMENT.type_error(
                    "tf.GradientTape.watch: expected a floating-point or complex "
                    f"tensor or variable, got {one!r}"
                )
            if isinstance(one, Variable):
                self._watch_variable(one)
            else:
                self._reached.add(one)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Suspend recording; ValueError if the tape is not recording."""
        if self not in context.recorders:
            raise codes.NOT_RECORDING.value_error(
                "tf.GradientTape.stop_recording: the tape is not recording; call it "
                "within `with tf.GradientTape() as tape`"
            )
        place = context.recorders.index(self)
        context.recorders.remove(self)
        try:
            yield
        finally:
            context.recorders.insert(place, self)

    def reset(self) -> None:
        """Forget all recorded operations and watched sources."""
        self._start()

    def watched_variables(self) -> tuple[Variable, ...]:
        """Return the watched variables, in the order in which they were first read."""
        return tuple(self._variables.values())

    # -- differentiating -----------------------------------------------------------

    # A gradient may also be None or tf.IndexedSlices; programs that know better would
    # have to test for it at each use.
    @overload
    def gradient(
        self,
        target: Any,
        sources: Tensor | Variable,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Tensor: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Sequence[_Source],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> list[Tensor]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: dict[_Key, _Source],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> dict[_Key, Tensor]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any:
        """Return the derivatives of the sum of a target by each of the sources.

        The result has the structure of `sources`, with a tensor, `tf.IndexedSlices` or
        None for each.  `target` is a tensor, or a nest of tensors.  `sources` is a
        tensor or variable, or a nest of those.  `output_gradients` is the initial
        gradient of each target; None for ones.  `unconnected_gradients` is the result
        for a source on which no target depends: None, or zeros.  It raises RuntimeError
        if a tape that is not persistent is used again, and the errors of
        `tf.gradients`.
        """
        self._use("gradient")
        gradients = self._back(
            "tf.GradientTape.gradient",
            [convert_to_tensor(y) for y in nest.flatten(target)],
            [variable_of(source) for source in nest.flatten(sources)],
            [] if output_gradients is None else nest.flatten(output_gradients),
            unconnected_gradients,
        )
        return nest.pack_sequence_as(sources, gradients)

    def _use(self, method: str) -> None:
        if self._used and not self._persistent:
            raise codes.NOT_RECORDING.runtime_error(
                f"tf.GradientTape.{method}: the tape was already used, which released "
                "its records; create it with persistent=True"
            )
        self._used = True
        if not self._persistent:
            self._end()

    def _back(
        self,
        function: str,
        targets: Sequence[Tensor],
        sources: Sequence[Any],
        seeds: Sequence[Any],
        missing: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> list[Any]:
        walk = Walk(function, gradients_of_block)
        steps = list(self._steps)
        keys = [
            hashable(f"{function}: sources", "tensors or variables", x)
            for x in (x.handle if isinstance(x, Variable) else x for x in sources)
        ]
        watched = [key for key in keys if key in self._reached]
        gradients = walk.backward(seeds_of(function, targets, seeds), watched, steps)
        by_tensor = dict(zip(watched, gradients, strict=True))
        return [
            finished(by_tensor.get(key), x, missing)
            for key, x in zip(keys, sources, strict=True)
        ]

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivatives of each element of a target by each of the sources.

        For each source, the result has the shape ``target.shape + source.shape``.
        Other parameters are those of `gradient`.

        Examples
        --------
        >>> with tf.eager_execution():
        ...     x = tf.constant([1.0, 2.0])
        ...     with tf.GradientTape() as tape:
        ...         tape.watch(x)
        ...         y = x * x
        ...     print(tape.jacobian(y, x).numpy().tolist())
        [[2.0, 0.0], [0.0, 4.0]]
        """
        self._use("jacobian")
        value = convert_to_tensor(target)
        flat = [variable_of(source) for source in nest.flatten(sources)]

        def pullback(seed: Tensor) -> list[Tensor | None]:
            return self._whole("tf.GradientTape.jacobian", value, flat, seed)

        gradients = jacobians(pullback, value, flat)
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            gradients = [
                zeros(concat([shape(value), shape(x)], 0), x.dtype) if m is None else m
                for m, x in zip(gradients, flat, strict=True)
            ]
        return nest.pack_sequence_as(sources, gradients)

    def _whole(
        self, function: str, target: Tensor, sources: Sequence[Any], seed: Tensor
    ) -> list[Tensor | None]:
        """Return the gradients as dense tensors."""
        gradients = self._back(function, [target], sources, [seed])
        return [None if g is None else convert_to_tensor(g) for g in gradients]

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """Return the Jacobian of each example of a batch.

        The result has the shape ``[batch] + target.shape[1:] + source.shape[1:]``.
        `target` and `source` are tensors whose first axis is the batch; each example of
        the target depends only on the same example of the source.
        `unconnected_gradients` is accepted for compatibility: the result of unconnected
        batches is zero.  It raises ValueError if the batches differ in size, or a
        tensor has rank 0.
        """
        self._use("batch_jacobian")
        if not isinstance(source, Tensor | Variable):
            argument = "tf.GradientTape.batch_jacobian: source"
            raise wrong_type(argument, "a tensor or variable", source)
        y, x = convert_to_tensor(target), source
        if (
            not y.shape.rank
            or not x.shape.rank
            or not y.shape[:1].is_compatible_with(x.shape[:1])
        ):
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.GradientTape.batch_jacobian: target and source must have the same "
                f"first axis, got {y.shape} and {x.shape}"
            )
        batch = shape(y)[:1]
        columns = reshape(y, concat([batch, [-1]], 0))
        count = shape(columns)[1]

        def row(k: Tensor) -> list[Tensor | None]:
            # Examples are independent, so one backward pass differentiates column k
            # of all examples at once.
            seed = one_hot(k, count, dtype=y.dtype)
            reshaped = reshape(apply("BroadcastTo", seed, shape(columns)), shape(y))
            return self._whole("tf.GradientTape.batch_jacobian", y, [x], reshaped)

        (table,) = stacked(row, count, [convert_to_tensor(x)])
        sizes = concat([batch, shape(y)[1:], shape(x)[1:]], 0)
        if table is None:
            return zeros(sizes, x.dtype)
        return reshape(transpose(table, [1, 0, *range(2, x.shape.rank + 1)]), sizes)
