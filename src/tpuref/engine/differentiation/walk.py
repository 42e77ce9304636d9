"""The backward pass: reverse-mode differentiation from targets to sources.

Each operation between them is visited once, in reverse order of execution, so that all
consumers of a tensor have contributed before its producer is differentiated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType
from tpuref.base.errors import coded
from tpuref.engine.differentiation.application import apply
from tpuref.engine.differentiation.indexed_slices import dense
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.definition import Flow
from tpuref.engine.ops.derivatives.rule import (
    NoGradient,
    Rows,
    not_differentiable,
    passed_on,
    shape_of,
    zeros_like,
)
from tpuref.engine.ops.derivatives.rules import gradient_of

Source = Tensor | str
"""A tensor, or the handle of a variable, to differentiate by."""

Gradient = Tensor | Rows
"""The gradient of one tensor."""

RULE = "_gradient"
"""The label that overrides an operation's gradient rule (`tf.custom_gradient`)."""

FLOWS = (Flow.BRANCH, Flow.LOOP)
"""The control flow that has gradients, those of its blocks."""

HOST_LABEL = "_xla_outside_compilation"
"""The label of operations that run on the host in a replicated computation."""


Blocks = Callable[..., Iterator[tuple[Source, Tensor]]]
"""``blocks(walk, step, gradients, wanted)`` yields contributions to the sources."""


# -- the operations between targets and sources ------------------------------------


def is_differentiable(dtype: DType) -> bool:
    """Whether tensors of a dtype have gradients."""
    return dtype.is_floating or dtype.is_complex


def taken_by(step: Any) -> list[Source]:
    """Return the sources of a step: its inputs, and the variables that it reads."""
    if step.blocks:
        return [*step.captured_inputs(), *variables_in(step.blocks)]
    variable = read_by(step)
    return list(step.inputs) if variable is None else [variable]


def read_by(step: Any) -> str | None:
    """Return the handle of the variable that a step reads, or None."""
    definition = step.definition
    if definition.reads is None or definition.writes is not None:
        return None
    handle: str = step.attrs[definition.reads]
    return handle


def variables_in(blocks: Iterable[Region]) -> list[str]:
    """Return the handles of the variables read in branches or loop bodies."""
    taken = (s for block in blocks for step in block.operations for s in taken_by(step))
    return [source for source in dict.fromkeys(taken) if isinstance(source, str)]


def steps_before(ys: Iterable[Tensor], stops: Collection[Tensor]) -> list[Any]:
    """Return the operations that `ys` depend on, in order, not going past `stops`."""
    pending = [y.op for y in ys if y not in stops]
    steps = set()
    while pending:
        step = pending.pop()
        if step not in steps:
            steps.add(step)
            pending += [t.op for t in step.captured_inputs() if t not in stops]
    return sorted(steps, key=lambda step: step.index)


def reached_from(
    sources: Iterable[Source], steps: Iterable[Any], stops: Collection[Tensor]
) -> set[Source]:
    """Return the tensors through which a gradient can flow back to the sources."""
    reached = set(sources)
    for step in steps:
        if any(s in reached for s in taken_by(step)) and passes_back(step):
            reached.update(
                tensor
                for tensor in step.outputs
                if is_differentiable(tensor.dtype) and tensor not in stops
            )
    return reached


def passes_back(step: Any) -> bool:
    """Whether a gradient can flow through a step."""
    if RULE in step.labels or read_by(step) is not None:
        return True
    return gradient_of(step.definition) is not not_differentiable


# -- the backward pass -------------------------------------------------------------


class Walk:
    """One backward pass.

    `function` is the public function's name for messages, `blocks` differentiates a
    branch or loop.  With `colocated`, gradients run on the device of their operation,
    as they always do on the logical cores of a replica.
    """

    def __init__(self, function: str, blocks: Blocks, colocated: bool = False) -> None:
        self._function = function
        self._blocks = blocks
        self._colocated = colocated
        self._parts: dict[Source, list[Gradient]] = {}
        self._tables: dict[str, Tensor] = {}

    def nested(self) -> Walk:
        """Return a pass over the operations of a branch or loop body."""
        return Walk(self._function, self._blocks, self._colocated)

    def backward(
        self,
        seeds: Iterable[tuple[Tensor, Tensor]],
        sources: Sequence[Source],
        steps: Sequence[Any],
        stops: Collection[Tensor] = (),
    ) -> list[Gradient | None]:
        """Return the gradient of each source, None for an unconnected one.

        `seeds` are the targets, each with its initial gradient; `steps` the operations
        between, in execution order; `stops` the tensors to take as constants.
        """
        reached = reached_from(sources, steps, stops)
        for tensor, gradient in seeds:
            if tensor in reached:
                self._parts.setdefault(tensor, []).append(gradient)
        for step in reversed(steps):
            if any(tensor in reached for tensor in step.outputs):
                self._visit(step, reached, stops)
        return [self._total(source) for source in sources]

    def _visit(
        self, step: Any, reached: Collection[Source], stops: Collection[Tensor]
    ) -> None:
        wanted = {s: None for s in taken_by(step) if s in reached}  # in order
        gradients = [None if t in stops else self._total(t) for t in step.outputs]
        if not wanted or all(gradient is None for gradient in gradients):
            return
        with self._colocate(step):
            try:
                for source, part in self._gradients(step, gradients, wanted):
                    # A rule such as `passed_on` returns dy itself, which is also the
                    # gradient of the output: refining it would change that tensor.
                    if not any(part is gradient for gradient in gradients):
                        _refine_shape(part, source)
                    self._parts.setdefault(source, []).append(part)
            except NoGradient as error:
                raise self._without_gradient(step, f": {error}") from error

    def _gradients(
        self,
        step: Any,
        gradients: Sequence[Gradient | None],
        wanted: Collection[Source],
    ) -> Iterator[tuple[Source, Gradient]]:
        variable = read_by(step)
        if variable is not None:
            assert gradients[0] is not None
            # The value read gives `whole` the shape of the variable's dense gradient.
            self._tables[variable] = step.outputs[0]
            yield variable, gradients[0]
            return
        if step.definition.flow in FLOWS:
            whole = [self.whole(g, t) for g, t in _with_outputs(gradients, step)]
            yield from self._blocks(self, step, whole, wanted)
            return
        rule = step.labels.get(RULE) or gradient_of(step.definition)
        if rule is None:
            raise self._without_gradient(step)
        if rule is not passed_on:
            gradients = [
                self._dense_or_zeros(g, t) for g, t in _with_outputs(gradients, step)
            ]
        results = rule(apply, step, *gradients)
        several = isinstance(results, (tuple, list)) and not isinstance(results, Rows)
        for source, part in zip(
            step.inputs, results if several else [results], strict=True
        ):
            if part is not None and source in wanted:
                yield source, part() if callable(part) else part

    # -- sums ----------------------------------------------------------------------

    def _total(self, source: Source) -> Gradient | None:
        """Return the sum of the contributions to a source so far."""
        parts = self._parts.get(source)
        if parts is None:
            return None
        if len(parts) > 1:
            self._parts[source] = parts = [self._sum(source, parts)]
        return parts[0]

    def _sum(self, source: Source, parts: Sequence[Gradient]) -> Gradient:
        # Rows stay sparse: contributions to one table are concatenated, not added.
        # One dense contribution makes the sum dense.
        if all(isinstance(part, Rows) for part in parts):
            columns = zip(*parts, strict=True)
            return Rows(*(apply("ConcatV2", *column, axis=0) for column in columns))
        total: Tensor = apply("AddN", *[self.whole(p, source) for p in parts])
        return total

    def whole(self, gradient: Gradient | None, source: Source) -> Tensor | None:
        """Return the dense gradient of a source."""
        if not isinstance(gradient, Rows):
            return gradient
        like = self._tables[source] if isinstance(source, str) else source
        return dense(gradient, shape_of(apply, like))

    def _dense_or_zeros(
        self, gradient: Gradient | None, tensor: Tensor
    ) -> Tensor | None:
        """Return the dense gradient for a rule: zeros if nothing contributed."""
        if gradient is None and is_differentiable(tensor.dtype):
            zeros: Tensor = zeros_like(apply, tensor)
            return zeros
        return self.whole(gradient, tensor)

    # -- placement and errors ------------------------------------------------------

    def _colocate(self, step: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context that places the gradient of a step; refuse host parts."""
        if step.labels.get(HOST_LABEL) is not None:
            raise coded(
                NotImplementedError,
                f"{self._function}: {_describe(step)} is a part of "
                "tf.tpu.outside_compilation, which has no gradient; differentiate "
                "operations on the cores only, or pass its result through "
                "tf.stop_gradient",
                code=codes.NO_GRADIENT,
            )
        place = getattr(step, "placement", None)
        if place is None or not (self._colocated or place.logical_core is not None):
            return contextlib.nullcontext()
        colocated: contextlib.AbstractContextManager[Any] = step.graph.colocate_with(
            step
        )
        return colocated

    def _without_gradient(self, step: Any, why: str = "") -> LookupError:
        return coded(
            LookupError,
            f"{self._function}: {_describe(step)} has no gradient{why}; differentiate "
            "by its result, or pass the result through tf.stop_gradient",
            code=codes.NO_GRADIENT,
        )


def _refine_shape(gradient: Gradient, source: Source) -> None:
    """Merge the static shape of the source into its gradient's."""
    if isinstance(gradient, Tensor) and isinstance(source, Tensor):
        gradient.set_shape(source.shape)


def _with_outputs(
    gradients: Sequence[Gradient | None], step: Any
) -> list[tuple[Gradient | None, Tensor]]:
    return list(zip(gradients, step.outputs, strict=True))


def _describe(step: Any) -> str:
    return f"operation {step.name!r} ({step.type}), built at {step.site},"
