"""Regions: the parts of a graph inside a replicated computation, branch or loop.

An operation may use tensors of its own region and of the enclosing regions; the latter
are captured.  A tensor used anywhere else has leaked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuref.base.callsite import CallSite
from tpuref.engine.ops.definition import BlockSpec

if TYPE_CHECKING:
    from tpuref.engine.graph.tensor import Operation, Tensor

REPLICATED = "replicated computation"
BRANCH = "branch of tf.cond"
LOOP = "tf.while_loop"


@dataclass(eq=False)
class Region:
    """The operations built during one call of a user's function.

    `kind` is `REPLICATED`, `BRANCH` or `LOOP`; `site` is the user's line that opened it
    and `replicas` the number of replicas of a replicated computation.  Names of
    operations start with `scope`, names of variables with `variables`.

    `components` are as in `Program`,
    and `first` the input of the first replica for each parameter.

    ``stand_in(tensor)`` returns the tensor that replaces one out of reach, or None.
    Gradients of branches and loops use it to reach forward values.
    """

    kind: str
    name: str
    outer: Region | None
    site: CallSite
    replicas: int = 1
    scope: str = ""
    variables: str = ""
    stand_in: Callable[[Tensor], Tensor | None] | None = None
    operations: list[Operation] = field(default_factory=list)
    parameters: list[Tensor] = field(default_factory=list)
    results: list[Tensor] = field(default_factory=list)
    host_calls: int = 0
    components: dict[tuple[str, ...], None] = field(default_factory=dict)
    first: dict[Tensor, Tensor] = field(default_factory=dict)

    def enclosing(self) -> Iterator[Region]:
        """Yield this region and its enclosing regions, innermost first."""
        region: Region | None = self
        while region is not None:
            yield region
            region = region.outer

    def outside(self, scope: str) -> str:
        """Return the name scope of a variable created in a scope of the region."""
        for region in self.enclosing():
            if region.scope and scope.startswith(region.scope):
                scope = region.variables + scope[len(region.scope) :]
        return scope

    def is_within(self, other: Region | None) -> bool:
        """Whether this region is `other` or lies inside it."""
        return other is None or any(region is other for region in self.enclosing())

    @property
    def replicated(self) -> Region | None:
        """The replicated computation that this region belongs to."""
        for region in self.enclosing():
            if region.kind == REPLICATED:
                return region
        return None

    def spec(self) -> BlockSpec:
        """Return the specs of parameters and results."""
        return BlockSpec(
            [tensor.spec for tensor in self.parameters],
            [tensor.spec for tensor in self.results],
        )

    def captured_tensors(self) -> list[Tensor]:
        """Return the tensors of enclosing regions that are used, in order of use."""
        captured: dict[Tensor, None] = {}
        for operation in self.operations:
            for tensor in operation.captured_inputs():
                if not _belongs_to(tensor, self):
                    captured[tensor] = None
        for tensor in self.results:
            if not _belongs_to(tensor, self):
                captured[tensor] = None
        return list(captured)

    def awaited_operations(self) -> list[Operation]:
        """Return the operations of enclosing regions to wait for."""
        operations: dict[Operation, None] = {}
        for operation in self.operations:
            for awaited in operation.all_control_inputs():
                if awaited.region is None or not awaited.region.is_within(self):
                    operations[awaited] = None
        return list(operations)


def _belongs_to(tensor: Tensor, region: Region) -> bool:
    inner = tensor.op.region
    return inner is not None and inner.is_within(region)
