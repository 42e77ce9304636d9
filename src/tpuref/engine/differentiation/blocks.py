"""Gradients of branches and loops.

The gradient of a branch is a branch, and that of a loop a loop that turns back.  The
values of the way forth that they use are kept: the operation gives them as further
outputs, for a loop those of all turns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base.callsite import user_site
from tpuref.base.dtypes import int32
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.differentiation.application import apply
from tpuref.engine.differentiation.walk import (
    Source,
    Walk,
    is_differentiable,
    reached_from,
    read_by,
    steps_before,
)
from tpuref.engine.graph.build import add_operation, parameter
from tpuref.engine.graph.convert import constant_of
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.region import BRANCH, LOOP, Region
from tpuref.engine.graph.tensor import (
    Operation,
    Tensor,
    further_output,
    kept_of_each_turn,
)
from tpuref.engine.ops.control import IF, WHILE
from tpuref.engine.ops.derivatives.rule import NoGradient, shape_of, zeros_like
from tpuref.engine.ops.sources import ARGUMENT

Parts = Iterator[tuple[Source, Tensor]]
"""What comes back to each source; a source may appear again."""


def gradients_of_block(
    walk: Walk,
    step: Operation,
    gradients: Sequence[Tensor | None],
    wanted: Collection[Source],
) -> Parts:
    """Return what comes back to the wanted sources of a branch or loop.

    Parameters
    ----------
    walk
        The walk that came to the operation.
    step
        The operation.
    gradients
        Those of its outputs.
    wanted
        What to differentiate by.
    """
    if step.definition is IF:
        return _of_branch(walk, step, gradients, wanted)
    return _of_loop(walk, step, gradients, wanted)


def _zeros(source: Source, blocks: Sequence[Region]) -> Tensor:
    """Return zeros of the shape of a tensor or variable."""
    if isinstance(source, Tensor):
        zeros: Tensor = zeros_like(apply, source)
        return zeros
    read = _read_of(source, blocks)
    assert read is not None
    value = apply(read.type, **read.attrs)
    zeros = zeros_like(apply, value)
    return zeros


def _read_of(handle: str, blocks: Sequence[Region]) -> Operation | None:
    """Return an operation within blocks that reads a variable."""
    for block in blocks:
        for step in block.operations:
            if read_by(step) == handle:
                return step
            found = _read_of(handle, step.blocks)
            if found is not None:
                return found
    return None


class _StandIns:
    """What the way back uses instead of tensors of the way forth, each made once.

    Parameters
    ----------
    forth, back
        The region of the way forth, and that of the way back.
    kept
        Gives the value of a tensor that the way forth has kept.
    """

    def __init__(
        self, forth: Region, back: Region, kept: Callable[[Tensor], Tensor]
    ) -> None:
        self._forth, self._back, self._kept = forth, back, kept
        self._made: dict[Tensor, Tensor] = {}

    def __call__(self, tensor: Tensor) -> Tensor | None:
        """Return what stands for a tensor, None for one of another region."""
        if tensor.op.region is not self._forth:
            return None
        if tensor not in self._made:
            known = tensor.operand().value
            with get_default_graph().in_region(self._back):
                self._made[tensor] = (
                    self._kept(tensor)
                    if known is None
                    else constant_of(np.array(known))
                )
        return self._made[tensor]


# -- branches ----------------------------------------------------------------------


def _of_branch(
    walk: Walk,
    step: Operation,
    gradients: Sequence[Tensor | None],
    wanted: Collection[Source],
) -> Parts:
    sources = list(wanted)
    back = [_branch_back(walk, step, k, gradients, sources) for k in (0, 1)]
    operation = add_operation(IF, [step.inputs[0]], {}, None, back)
    yield from zip(sources, operation.outputs, strict=True)


def _branch_back(
    walk: Walk,
    step: Operation,
    number: int,
    gradients: Sequence[Tensor | None],
    sources: Sequence[Source],
) -> Region:
    graph, forth = step.graph, step.blocks[number]
    name = graph.unique_name(f"{forth.name.rpartition('/')[2]}_grad", False)
    region = Region(BRANCH, name, graph.region, user_site())
    region.stand_in = _StandIns(
        forth, region, lambda tensor: _branch_value(step, number, tensor)
    )
    with graph.in_region(region):
        seeds = [
            (tensor, gradient)
            for tensor, gradient in zip(forth.results, gradients, strict=False)
            if gradient is not None
        ]
        captured = set(step.captured_inputs())
        inner = steps_before([tensor for tensor, _ in seeds], captured)
        nested = walk.nested()
        found = nested.back(seeds, sources, inner, captured)
        region.results = [
            _passed(nested.whole(g, s)) if g is not None else _zeros(s, step.blocks)
            for s, g in zip(sources, found, strict=True)
        ]
    return region


def _passed(tensor: Tensor | None) -> Tensor:
    """Return a tensor as one of the region that is being built."""
    passed: Tensor = apply("Identity", tensor)
    return passed


def _branch_value(step: Operation, number: int, tensor: Tensor) -> Tensor:
    """Let a branch give a value out; the other one gives something in its place."""
    taken, other = step.blocks[number], step.blocks[1 - number]
    known = tensor.shape.is_fully_defined()
    with step.graph.in_region(other):
        sizes = tensor.shape.as_tuple() if known else (0,) * (tensor.shape.rank or 0)
        zero = np.zeros((), tensor.dtype.np)
        filler = apply("Fill", np.array(sizes, np.int32), zero)
    taken.results.append(tensor)
    other.results.append(filler)
    shape = tensor.shape if known else TensorShape(None)
    value = _passed(further_output(step, TensorSpec(shape, tensor.dtype)))
    value.set_shape(tensor.shape)
    return value


# -- loops -------------------------------------------------------------------------

TURNS = "_turns"
"""The label with the tensor that says how often a loop turned."""


def _of_loop(
    walk: Walk,
    step: Operation,
    gradients: Sequence[Tensor | None],
    wanted: Collection[Source],
) -> Parts:
    loop = _LoopBack(walk, step, gradients, wanted)
    operation = loop.build()
    _, *given = operation.outputs
    count = len(loop.carried)
    for k, gradient in zip(loop.carried, given[:count], strict=True):
        if step.inputs[k] in wanted:
            yield step.inputs[k], gradient
    yield from zip(loop.around, given[count:], strict=True)


class _LoopBack:
    """The loop that turns back.

    Its loop variables are the number of the turn, the gradients of the loop variables
    that carry any, and the sums for what the body takes from around it.

    Attributes
    ----------
    carried
        The positions of the loop variables with gradients.
    around
        The tensors and variables around the loop with gradients.
    """

    def __init__(
        self,
        walk: Walk,
        step: Operation,
        gradients: Sequence[Tensor | None],
        wanted: Collection[Source],
    ) -> None:
        self._walk, self._step, self._gradients = walk, step, gradients
        self._graph = get_default_graph()
        self._body = step.blocks[1]
        self._count: int = step.attrs["loop_variables"]
        self._taken = set(self._body.captured_tensors())
        self._inner = steps_before(self._body.results, self._taken)
        self.around = [s for s in wanted if isinstance(s, str) or s in self._taken]
        self.carried = self._carried(wanted)
        self._turn: Tensor | None = None
        self._region: Region | None = None

    def _carried(self, wanted: Collection[Source]) -> list[int]:
        """Return the loop variables that a wanted source reaches in any turn."""
        begun, ended = self._body.parameters, self._body.results
        found = {k for k in range(self._count) if self._step.inputs[k] in wanted}
        while True:
            sources = [*self.around, *(begun[k] for k in found)]
            reached = reached_from(sources, self._inner, ())
            new = {k for k in range(self._count) if ended[k] in reached} - found
            if not new:
                break
            found |= new
        return [k for k in sorted(found) if is_differentiable(begun[k].dtype)]

    def build(self) -> Operation:
        """Add the loop to the graph."""
        step = self._step
        turns = self._turns()
        last = turns - 1
        start = [
            self._zero_or(self._gradients[k], step.outputs[k]) for k in self.carried
        ]
        start = [last, *start, *(_zeros(s, step.blocks) for s in self.around)]
        specs = [TensorSpec(last.shape, int32)]
        specs += [self._body.parameters[k].spec for k in self.carried]
        specs += [tensor.spec for tensor in start[len(specs) :]]
        regions = [self._condition(specs), self._turn_back(specs)]
        attrs = {"loop_variables": len(start), "maximum_iterations": None}
        return add_operation(WHILE, start, attrs, None, regions)

    def _zero_or(self, gradient: Tensor | None, tensor: Tensor) -> Tensor:
        if gradient is not None:
            return gradient
        zeros: Tensor = zeros_like(apply, tensor)
        return zeros

    def _region_named(self, name: str) -> Region:
        full = self._graph.unique_name(name, False)
        return Region(LOOP, full, self._graph.region, user_site())

    def _parameters(self, specs: Sequence[TensorSpec]) -> list[Tensor]:
        return [parameter(ARGUMENT, spec, "arg") for spec in specs]

    def _condition(self, specs: Sequence[TensorSpec]) -> Region:
        region = self._region_named("cond_grad")
        with self._graph.in_region(region):
            region.parameters = self._parameters(specs)
            region.results = [region.parameters[0] >= 0]
        return region

    def _turn_back(self, specs: Sequence[TensorSpec]) -> Region:
        self._region = region = self._region_named("body_grad")
        region.stand_in = _StandIns(
            self._body,
            region,
            lambda tensor: self._of_this_turn(
                tensor, kept_of_each_turn(self._step, tensor)
            ),
        )
        count = len(self.carried)
        with self._graph.in_region(region):
            region.parameters = self._parameters(specs)
            self._turn, *given = region.parameters
            ended = [self._body.results[k] for k in self.carried]
            seeds = list(zip(ended, given[:count], strict=True))
            seeds += self._seeds_of_kept()
            begun = [self._body.parameters[k] for k in self.carried]
            nested = self._walk.nested()
            sources = [*begun, *self.around]
            found = nested.back(seeds, sources, self._inner, self._taken)
            parts = [nested.whole(g, s) for g, s in zip(found, sources, strict=True)]
            next_ones = [
                self._zero_or(part, tensor)
                for part, tensor in zip(parts, begun, strict=False)
            ]
            totals = [
                total if part is None else total + part
                for total, part in zip(given[count:], parts[count:], strict=True)
            ]
            region.results = [
                self._turn - 1,
                *map(_passed, next_ones),
                *map(_passed, totals),
            ]
        return region

    # -- values of the way forth ---------------------------------------------------

    def _seeds_of_kept(self) -> list[tuple[Tensor, Tensor]]:
        """Return the gradients that came to values kept of this turn."""
        found = []
        for k in range(self._count, len(self._gradients)):
            gradient = self._gradients[k]
            if gradient is not None:
                tensor = self._body.results[k]
                found.append((tensor, self._of_this_turn(tensor, gradient)))
        return found

    def _of_this_turn(self, tensor: Tensor, elements: Tensor) -> Tensor:
        """Return the part of the elements of all turns that belongs to this one."""
        assert self._turn is not None
        if tensor.shape.is_fully_defined():
            count = np.int32(tensor.shape.num_elements() or 0)
            begin, shape = self._turn * count, shape_of(apply, tensor)
        else:
            begin, shape = self._place(tensor)
            count = apply("Prod", shape, axis=None, keepdims=False)
        begin = apply("ExpandDims", begin, axis=0)
        size = apply("ExpandDims", count, axis=0)
        return _shaped(apply("Slice", elements, begin, size), shape, tensor)

    def _place(self, tensor: Tensor) -> tuple[Tensor, Tensor]:
        """Return where the elements of this turn begin, and their shape."""
        rank = tensor.shape.rank
        if rank is None:
            raise NoGradient(
                f"{tensor.describe()}, made at {tensor.op.site}, is used again on the "
                "way back, and its rank is unknown; give it with set_shape"
            )
        with self._graph.in_region(self._body):
            own = apply("Shape", tensor, out_type="int32")
        sizes = kept_of_each_turn(self._step, own)
        assert self._region is not None and self._turn is not None
        with self._graph.in_region(self._region):
            table = apply("Reshape", sizes, np.array([-1, rank], np.int32))
            counts = apply("Prod", table, axis=1, keepdims=False)
            begins = apply("Cumsum", counts, axis=0, exclusive=True, reverse=False)
            return begins[self._turn], table[self._turn]

    def _turns(self) -> Tensor:
        """Return how often the loop turned."""
        if TURNS not in self._step.labels:
            with self._graph.in_region(self._body):
                one = constant_of(np.array(1, np.int32))
            ones = kept_of_each_turn(self._step, one)
            self._step.labels[TURNS] = ones
        turns: Tensor = apply("Size", self._step.labels[TURNS], out_type="int32")
        return turns


def _shaped(elements: Tensor, shape: Any, tensor: Tensor) -> Tensor:
    shaped: Tensor = apply("Reshape", elements, shape)
    shaped.set_shape(tensor.shape)
    return shaped
