"""The walk back: from what is differentiated to what it is differentiated by.

Each operation between them is visited once, the last one first, so that everything
that uses a tensor has been visited before the operation that makes it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

from tpuref.base import error_codes as codes
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import DType
from tpuref.base.errors import coded
from tpuref.differentiation.application import apply
from tpuref.differentiation.indexed_slices import dense
from tpuref.graph.region import Region
from tpuref.graph.tensor import Tensor
from tpuref.ops.control import IF, WHILE
from tpuref.ops.definition import OpDef
from tpuref.ops.derivatives.rule import (
    NoGradient,
    Rows,
    not_differentiable,
    passed_on,
    shape_of,
    zeros_like,
)

Source = Tensor | str
"""What is differentiated by: a tensor, or the handle of a variable."""

Gradient = Tensor | Rows
"""The gradient of one tensor."""

RULE = "_gradient"
"""The label with a rule of its own that an operation has."""

HOST_LABEL = "_xla_outside_compilation"
"""The label of operations that run on the host in a replicated computation."""

DIFFERENTIABLE_BLOCKS = (IF.name, WHILE.name)


class Step(Protocol):
    """An operation that was applied: of a graph, or noted on a tape."""

    type: str
    name: str
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    attrs: dict[str, Any]
    labels: dict[str, Any]
    blocks: Sequence[Region]
    site: CallSite

    @property
    def definition(self) -> OpDef:
        """The record of what it is."""


Blocks = Callable[..., Iterator[tuple[Source, Tensor]]]
"""``blocks(walk, step, gradients, wanted)`` gives what comes back to the sources."""


# -- what lies between -------------------------------------------------------------


def is_differentiable(dtype: DType) -> bool:
    """Whether tensors of an element type have gradients."""
    return dtype.is_floating or dtype.is_complex


def taken_by(step: Any) -> list[Source]:
    """Return what a step takes: its inputs, and the variables that it reads."""
    if step.blocks:
        return [*step.captured_inputs(), *variables_in(step.blocks)]
    variable = read_by(step)
    return list(step.inputs) if variable is None else [variable]


def read_by(step: Any) -> str | None:
    """Return the handle of the variable whose value a step gives, if any."""
    definition = step.definition
    if definition.reads is None or definition.writes is not None:
        return None
    handle: str = step.attrs[definition.reads]
    return handle


def variables_in(blocks: Iterable[Region]) -> list[str]:
    """Return the handles of the variables that blocks read."""
    taken = (s for block in blocks for step in block.operations for s in taken_by(step))
    return [source for source in dict.fromkeys(taken) if isinstance(source, str)]


def steps_before(ys: Iterable[Tensor], stops: Collection[Tensor]) -> list[Any]:
    """Return the operations that `ys` depend on, in order, without those of `stops`."""
    pending = [y.op for y in ys if y not in stops]
    found = set()
    while pending:
        step = pending.pop()
        if step not in found:
            found.add(step)
            pending += [t.op for t in step.captured_inputs() if t not in stops]
    return sorted(found, key=lambda step: step.index)


def reached_from(
    sources: Iterable[Source], steps: Iterable[Any], stops: Collection[Tensor]
) -> set[Source]:
    """Return what depends on the sources so that a gradient can flow back to them."""
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
    """Whether a step can give anything that it takes a gradient."""
    if RULE in step.labels or read_by(step) is not None:
        return True
    return step.definition.gradient is not not_differentiable


# -- the walk ----------------------------------------------------------------------


class Walk:
    """One walk back over steps.

    Parameters
    ----------
    function
        The name of the public function, for messages.
    blocks
        Differentiates a step with blocks.
    colocated
        Whether the gradient of an operation is placed where the operation is; on the
        cores of one replica it always is.
    """

    def __init__(self, function: str, blocks: Blocks, colocated: bool = False) -> None:
        self._function = function
        self._blocks = blocks
        self._colocated = colocated
        self._parts: dict[Source, list[Gradient]] = {}
        self._tables: dict[str, Tensor] = {}

    def nested(self) -> Walk:
        """Return a walk over the operations of a block."""
        return Walk(self._function, self._blocks, self._colocated)

    def back(
        self,
        seeds: Iterable[tuple[Tensor, Tensor]],
        sources: Sequence[Source],
        steps: Sequence[Any],
        stops: Collection[Tensor] = (),
    ) -> list[Gradient | None]:
        """Return the gradient of each source, None for one that nothing came back to.

        Parameters
        ----------
        seeds
            The tensors to begin at, each with its gradient.
        sources
            What to differentiate by.
        steps
            The operations to walk over, in the order in which they ran.
        stops
            The tensors to take as constants.
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
        wanted = [s for s in dict.fromkeys(taken_by(step)) if s in reached]
        gradients = [None if t in stops else self._total(t) for t in step.outputs]
        if not wanted or all(gradient is None for gradient in gradients):
            return
        with self._beside(step):
            try:
                for source, part in self._gradients(step, gradients, wanted):
                    # One that is passed on may be the gradient of other branches too.
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
            self._tables[variable] = step.outputs[0]
            yield variable, gradients[0]
            return
        if step.blocks and step.definition.name in DIFFERENTIABLE_BLOCKS:
            whole = [self.whole(g, t) for g, t in _paired(gradients, step)]
            yield from self._blocks(self, step, whole, wanted)
            return
        rule = step.labels.get(RULE, step.definition.gradient)
        if rule is None:
            raise self._without_gradient(step)
        if rule is not passed_on:
            gradients = [self._filled(g, t) for g, t in _paired(gradients, step)]
        found = rule(apply, step, *gradients)
        several = isinstance(found, (tuple, list)) and not isinstance(found, Rows)
        for source, part in zip(
            step.inputs, found if several else [found], strict=True
        ):
            if part is not None and source in wanted:
                yield source, part() if callable(part) else part

    # -- sums ----------------------------------------------------------------------

    def _total(self, source: Source) -> Gradient | None:
        """Return the sum of what came back to a source so far."""
        parts = self._parts.get(source)
        if parts is None:
            return None
        if len(parts) > 1:
            self._parts[source] = parts = [self._sum(source, parts)]
        return parts[0]

    def _sum(self, source: Source, parts: Sequence[Gradient]) -> Gradient:
        if all(isinstance(part, Rows) for part in parts):
            columns = zip(*parts, strict=True)
            return Rows(*(apply("ConcatV2", *column, axis=0) for column in columns))
        total: Tensor = apply("AddN", *[self.whole(p, source) for p in parts])
        return total

    def whole(self, gradient: Gradient | None, source: Source) -> Tensor | None:
        """Return the gradient of a source with all of its rows."""
        if not isinstance(gradient, Rows):
            return gradient
        like = self._tables[source] if isinstance(source, str) else source
        return dense(gradient, shape_of(apply, like))

    def _filled(self, gradient: Gradient | None, tensor: Tensor) -> Tensor | None:
        """Return a gradient to give to a rule: zeros where nothing came back."""
        if gradient is None and is_differentiable(tensor.dtype):
            zeros: Tensor = zeros_like(apply, tensor)
            return zeros
        return self.whole(gradient, tensor)

    # -- places --------------------------------------------------------------------

    def _beside(self, step: Any) -> contextlib.AbstractContextManager[Any]:
        """Place the gradient of a step."""
        if step.labels.get(HOST_LABEL) is not None:
            raise coded(
                NotImplementedError,
                f"{self._function}: {_described(step)} is a part of "
                "tf.tpu.outside_compilation, which has no gradient; differentiate what "
                "runs on the cores alone, or take its result through tf.stop_gradient",
                code=codes.NO_GRADIENT,
            )
        place = getattr(step, "placement", None)
        if place is None or not (self._colocated or place.logical_core is not None):
            return contextlib.nullcontext()
        found: contextlib.AbstractContextManager[Any] = step.graph.colocate_with(step)
        return found

    def _without_gradient(self, step: Any, why: str = "") -> LookupError:
        return coded(
            LookupError,
            f"{self._function}: {_described(step)} has no gradient{why}; differentiate "
            "by what comes after it, or take its result through tf.stop_gradient",
            code=codes.NO_GRADIENT,
        )


def _refine_shape(gradient: Gradient, source: Source) -> None:
    """Give a gradient the static shape of what it is the gradient of."""
    if isinstance(gradient, Tensor) and isinstance(source, Tensor):
        gradient.set_shape(source.shape)


def _paired(
    gradients: Sequence[Gradient | None], step: Any
) -> list[tuple[Gradient | None, Tensor]]:
    return list(zip(gradients, step.outputs, strict=True))


def _described(step: Any) -> str:
    return f"operation {step.name!r} ({step.type}), built at {step.site},"
