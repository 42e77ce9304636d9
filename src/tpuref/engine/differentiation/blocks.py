"""Gradients of branches and loops.

The gradient of a branch is a branch on the same predicate; that of a loop is a loop
that runs the iterations in reverse.  The forward values that they use are residuals:
further outputs of the forward operation, which a loop stacks over its iterations.
"""

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
from tpuref.engine.ops.definition import Flow
from tpuref.engine.ops.derivatives.rule import NoGradient, shape_of, zeros_like
from tpuref.engine.ops.sources import ARGUMENT

Parts = Iterator[tuple[Source, Tensor]]
"""Pairs of a source and a contribution to its gradient; sources may repeat."""


def gradients_of_block(
    walk: Walk,
    step: Operation,
    gradients: Sequence[Tensor | None],
    wanted: Collection[Source],
) -> Parts:
    """Yield contributions to the wanted sources of a branch or loop.

    `gradients` are those of the outputs of `step`, an operation that `walk` has
    reached.
    """
    if step.definition.flow is Flow.BRANCH:
        return _of_branch(walk, step, gradients, wanted)
    return _of_loop(walk, step, gradients, wanted)


def _zeros(source: Source, blocks: Sequence[Region]) -> Tensor:
    """Return zeros of the shape of a tensor or variable."""
    if isinstance(source, Tensor):
        zeros: Tensor = zeros_like(apply, source)
        return zeros
    read = _find_read(source, blocks)
    assert read is not None
    zeros = zeros_like(apply, apply(read.type, **read.attrs))
    return zeros


def _find_read(handle: str, blocks: Sequence[Region]) -> Operation | None:
    """Return an operation in the blocks that reads a variable."""
    for block in blocks:
        for step in block.operations:
            if read_by(step) == handle:
                return step
            read = _find_read(handle, step.blocks)
            if read is not None:
                return read
    return None


class _StandIns:
    """The backward region's stand-ins for forward tensors, created once each.

    ``residual(tensor)`` makes the forward operation return the tensor and returns its
    value in the backward region.
    """

    def __init__(
        self, forward: Region, backward: Region, residual: Callable[[Tensor], Tensor]
    ) -> None:
        self._forward, self._backward, self._residual = forward, backward, residual
        self._residuals: dict[Tensor, Tensor] = {}

    def __call__(self, tensor: Tensor) -> Tensor | None:
        """Return the stand-in of a tensor, None for one of another region."""
        if tensor.op.region is not self._forward:
            return None
        if tensor not in self._residuals:
            # A static value is repeated as a constant instead of a further output.
            known = tensor.operand().value
            with get_default_graph().in_region(self._backward):
                self._residuals[tensor] = (
                    self._residual(tensor)
                    if known is None
                    else constant_of(np.array(known))
                )
        return self._residuals[tensor]


# -- branches ----------------------------------------------------------------------


def _of_branch(
    walk: Walk,
    step: Operation,
    gradients: Sequence[Tensor | None],
    wanted: Collection[Source],
) -> Parts:
    sources = list(wanted)
    backward = [_backward_branch(walk, step, k, gradients, sources) for k in (0, 1)]
    operation = add_operation(IF, [step.inputs[0]], {}, None, backward)
    yield from zip(sources, operation.outputs, strict=True)


def _backward_branch(
    walk: Walk,
    step: Operation,
    number: int,
    gradients: Sequence[Tensor | None],
    sources: Sequence[Source],
) -> Region:
    graph, forward = step.graph, step.blocks[number]
    name = graph.unique_name(f"{forward.name.rpartition('/')[2]}_grad", False)
    region = Region(BRANCH, name, graph.region, user_site())
    region.stand_in = _StandIns(
        forward, region, lambda tensor: _branch_value(step, number, tensor)
    )
    with graph.in_region(region):
        seeds = [
            (tensor, gradient)
            for tensor, gradient in zip(forward.results, gradients, strict=False)
            if gradient is not None
        ]
        captured = set(step.captured_inputs())
        inner = steps_before([tensor for tensor, _ in seeds], captured)
        nested = walk.nested()
        of_sources = nested.backward(seeds, sources, inner, captured)
        region.results = [
            _identity(nested.whole(g, s)) if g is not None else _zeros(s, step.blocks)
            for s, g in zip(sources, of_sources, strict=True)
        ]
    return region


def _identity(tensor: Tensor | None) -> Tensor:
    """Return a copy of a tensor that belongs to the region being built."""
    passed: Tensor = apply("Identity", tensor)
    return passed


def _branch_value(step: Operation, number: int, tensor: Tensor) -> Tensor:
    """Return a value of a branch outside of it, by a further output of the branch."""
    # Both branches must return as many results. The other branch returns a filler,
    # which nobody reads: the backward branch runs only when its forward branch ran.
    # With sizes unknown until the run the filler is empty, so that it costs nothing.
    taken, other = step.blocks[number], step.blocks[1 - number]
    known = tensor.shape.is_fully_defined()
    with step.graph.in_region(other):
        sizes = tensor.shape.as_tuple() if known else (0,) * (tensor.shape.rank or 0)
        filler = apply("Fill", np.array(sizes, np.int32), np.zeros((), tensor.dtype.np))
    taken.results.append(tensor)
    other.results.append(filler)
    shape = tensor.shape if known else TensorShape(None)
    value = _identity(further_output(step, TensorSpec(shape, tensor.dtype)))
    value.set_shape(tensor.shape)
    return value


# -- loops -------------------------------------------------------------------------

TURNS = "_turns"
"""The label with a residual of one element per iteration of a loop."""


def _of_loop(
    walk: Walk,
    step: Operation,
    gradients: Sequence[Tensor | None],
    wanted: Collection[Source],
) -> Parts:
    loop = _BackwardLoop(walk, step, gradients, wanted)
    _, *incoming = loop.build().outputs
    count = len(loop.carried)
    for k, gradient in zip(loop.carried, incoming[:count], strict=True):
        if step.inputs[k] in wanted:
            yield step.inputs[k], gradient
    yield from zip(loop.captured, incoming[count:], strict=True)


class _BackwardLoop:
    """The backward loop of a loop.

    Its loop variables are the iteration (counted down from the last), the gradients of
    the forward loop variables at the positions `carried`, and the summed gradients of
    the `captured` tensors and variables.
    """

    # Invariant at the start of backward iteration k: the carried gradients are those
    # of the forward loop variables after iteration k, and the totals hold the
    # contributions of the iterations after k. The body differentiates one iteration:
    # it replaces the carried gradients and adds to the totals. The iteration number
    # also selects the residuals of iteration k, which are stored back to back.

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
        self.captured = [s for s in wanted if isinstance(s, str) or s in self._taken]
        self.carried = self._loop_variables_reached(wanted)
        self._turn: Tensor | None = None
        self._region: Region | None = None

    def _loop_variables_reached(self, wanted: Collection[Source]) -> list[int]:
        """Return the loop variables that a wanted source reaches in any iteration."""
        # A fixed point: a source may reach variable i in one iteration, and variable j
        # through i only in the next one. Each pass adds a variable or ends.
        begun, ended = self._body.parameters, self._body.results
        carried = {k for k in range(self._count) if self._step.inputs[k] in wanted}
        while True:
            sources = [*self.captured, *(begun[k] for k in carried)]
            reached = reached_from(sources, self._inner, ())
            new = {k for k in range(self._count) if ended[k] in reached} - carried
            if not new:
                break
            carried |= new
        return [k for k in sorted(carried) if is_differentiable(begun[k].dtype)]

    def build(self) -> Operation:
        """Add the loop to the graph."""
        step = self._step
        last = self._num_iterations() - 1
        start = [
            self._or_zeros(self._gradients[k], step.outputs[k]) for k in self.carried
        ]
        start = [last, *start, *(_zeros(s, step.blocks) for s in self.captured)]
        specs = [TensorSpec(last.shape, int32)]
        specs += [self._body.parameters[k].spec for k in self.carried]
        specs += [tensor.spec for tensor in start[len(specs) :]]
        regions = [self._condition(specs), self._backward_body(specs)]
        attrs = {"loop_variables": len(start), "maximum_iterations": None}
        return add_operation(WHILE, start, attrs, None, regions)

    def _or_zeros(self, gradient: Tensor | None, tensor: Tensor) -> Tensor:
        return _zeros(tensor, ()) if gradient is None else gradient

    def _new_region(self, name: str) -> Region:
        full = self._graph.unique_name(name, False)
        return Region(LOOP, full, self._graph.region, user_site())

    def _parameters(self, specs: Sequence[TensorSpec]) -> list[Tensor]:
        return [parameter(ARGUMENT, spec, "arg") for spec in specs]

    def _condition(self, specs: Sequence[TensorSpec]) -> Region:
        region = self._new_region("cond_grad")
        with self._graph.in_region(region):
            region.parameters = self._parameters(specs)
            region.results = [region.parameters[0] >= 0]
        return region

    def _backward_body(self, specs: Sequence[TensorSpec]) -> Region:
        self._region = region = self._new_region("body_grad")
        region.stand_in = _StandIns(
            self._body,
            region,
            lambda tensor: self._of_iteration(
                tensor, kept_of_each_turn(self._step, tensor)
            ),
        )
        count = len(self.carried)
        with self._graph.in_region(region):
            region.parameters = self._parameters(specs)
            self._turn, *given = region.parameters
            ended = [self._body.results[k] for k in self.carried]
            seeds = list(zip(ended, given[:count], strict=True))
            seeds += self._residual_seeds()
            begun = [self._body.parameters[k] for k in self.carried]
            nested = self._walk.nested()
            sources = [*begun, *self.captured]
            gradients = nested.backward(seeds, sources, self._inner, self._taken)
            parts = [
                nested.whole(g, s) for g, s in zip(gradients, sources, strict=True)
            ]
            next_ones = [
                self._or_zeros(part, tensor)
                for part, tensor in zip(parts, begun, strict=False)
            ]
            totals = [
                total if part is None else total + part
                for total, part in zip(given[count:], parts[count:], strict=True)
            ]
            region.results = [
                self._turn - 1,
                *map(_identity, next_ones),
                *map(_identity, totals),
            ]
        return region

    # -- residuals -----------------------------------------------------------------

    def _residual_seeds(self) -> list[tuple[Tensor, Tensor]]:
        """Return the gradients of residuals, as a gradient of a gradient has them."""
        gradients = []
        for k in range(self._count, len(self._gradients)):
            gradient = self._gradients[k]
            if gradient is not None:
                tensor = self._body.results[k]
                gradients.append((tensor, self._of_iteration(tensor, gradient)))
        return gradients

    def _of_iteration(self, tensor: Tensor, elements: Tensor) -> Tensor:
        """Return the part of a residual that belongs to this iteration."""
        # Iterations may differ in shape, so a residual is one vector of the elements
        # of all iterations. A static shape gives the offset by a product.
        assert self._turn is not None
        if tensor.shape.is_fully_defined():
            count = np.int32(tensor.shape.num_elements() or 0)
            begin, shape = self._turn * count, shape_of(apply, tensor)
        else:
            begin, shape = self._span(tensor)
            count = apply("Prod", shape, axis=None, keepdims=False)
        begin = apply("ExpandDims", begin, axis=0)
        size = apply("ExpandDims", count, axis=0)
        return _reshape(apply("Slice", elements, begin, size), shape, tensor)

    def _span(self, tensor: Tensor) -> tuple[Tensor, Tensor]:
        """Return the offset of this iteration's elements, and their shape."""
        rank = tensor.shape.rank
        if rank is None:
            raise NoGradient(
                f"{tensor.describe()}, made at {tensor.op.site}, is needed in the "
                "backward pass, and its rank is unknown; set it with set_shape"
            )
        with self._graph.in_region(self._body):
            # The shape of each iteration is a residual too; an exclusive running sum
            # of the element counts gives the offsets.
            own = apply("Shape", tensor, out_type="int32")
        sizes = kept_of_each_turn(self._step, own)
        assert self._region is not None and self._turn is not None
        with self._graph.in_region(self._region):
            table = apply("Reshape", sizes, np.array([-1, rank], np.int32))
            counts = apply("Prod", table, axis=1, keepdims=False)
            begins = apply("Cumsum", counts, axis=0, exclusive=True, reverse=False)
            return begins[self._turn], table[self._turn]

    def _num_iterations(self) -> Tensor:
        """Return the number of iterations that the loop ran."""
        # Each iteration adds one element to a residual, whose size is the count.
        if TURNS not in self._step.labels:
            with self._graph.in_region(self._body):
                one = constant_of(np.array(1, np.int32))
            self._step.labels[TURNS] = kept_of_each_turn(self._step, one)
        turns: Tensor = apply("Size", self._step.labels[TURNS], out_type="int32")
        return turns


def _reshape(elements: Tensor, shape: Any, tensor: Tensor) -> Tensor:
    shaped: Tensor = apply("Reshape", elements, shape)
    shaped.set_shape(tensor.shape)
    return shaped
