"""Define a stage of an input pipeline, and one pass through the pipeline."""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import (
    Callable,
    Generator,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tpuref.base import error_codes as codes
from tpuref.base.callsite import user_site
from tpuref.base.errors import InvalidArgumentError, OpError
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.context import Variables
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.interface.data.ahead import Ahead, Transformation
from tpuref.interface.data.element import Item, specs_of

INFINITE, UNKNOWN = -1, -2
"""The cardinalities of stages that do not end, and of those of unknown length."""

Stack = Callable[[list[Item]], Item]
Fault = TypeVar("Fault", bound=OpError)


@dataclass
class Pass:
    """One pass through a pipeline."""

    # The values of the stages' tensors at the start of the pass
    values: Mapping[Tensor, Array] = field(default_factory=dict)
    variables: Variables | None = None
    draws: State = field(default_factory=State)
    # The number of passes through each stage
    epochs: MutableMapping[Any, int] = field(default_factory=dict)
    # The elements that caches keep for later passes
    kept: MutableMapping[Stage, list[Item]] = field(default_factory=dict)

    def array(self, value: Array | Tensor) -> Array:
        """Return the value of a component in this pass."""
        return self.values[value] if isinstance(value, Tensor) else value

    def number(self, value: Array | Tensor) -> int:
        """Return the value of an integer argument in this pass."""
        return int(self.array(value))

    def next_epoch(self, stage: Any) -> int:
        """Return the number of earlier passes through the stage, and count this one."""
        epoch = self.epochs.get(stage, 0)
        self.epochs[stage] = epoch + 1
        return epoch


class Stage(Transformation):
    """A stage of a pipeline: describes its elements, and produces them.

    `element` has the specs of the components, and `uses` the arguments that may be
    tensors.
    """

    # Whether user code, which may not end, computes elements.
    calls_user = False
    # Whether there are as many elements as those of the first source.
    keeps_number = False

    def __init__(
        self, element: Any, sources: Sequence[Stage] = (), uses: Sequence[Any] = ()
    ) -> None:
        if not specs_of(element):
            raise ValueError(f"{self.name}: an element must have a component, got none")
        self.element = element
        self.sources = sources
        self.site = user_site()
        own = [value for value in uses if isinstance(value, Tensor)]
        before = [tensor for source in sources for tensor in source.captured]
        self.captured: list[Tensor] = list(dict.fromkeys([*before, *own]))
        self.variables: list[str] = [
            name for source in sources for name in source.variables
        ]
        parts = (*sources, *vars(self).values())
        if any(getattr(part, "calls_user", False) for part in parts):
            self.calls_user = True

    @property
    def specs(self) -> list[TensorSpec]:
        """The specs of the components, flat."""
        return specs_of(self.element)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the flat elements one after another."""
        raise NotImplementedError

    def groups(
        self, current: Pass, size: int, drop_remainder: bool = False
    ) -> Iterator[list[Item]]:
        """Yield lists of consecutive elements; the last one may be shorter."""
        items = self.items(current)
        while group := list(itertools.islice(items, size)):
            if len(group) == size or not drop_remainder:
                yield group

    def batches(
        self, current: Pass, size: int, drop_remainder: bool, stack: Stack
    ) -> Iterator[Item]:
        """Yield groups stacked, by `stack` unless they are computed together."""
        return map(stack, self.groups(current, size, drop_remainder))

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        return self.sources[0].cardinality() if self.keeps_number else UNKNOWN

    def pass_of(
        self, values: Mapping[Tensor, Array], run: Run
    ) -> Generator[Item, None, None]:
        """Yield the elements of a pass that begins in `run`."""
        # A weak proxy, so that a thread of the pass does not keep the session alive.
        return self.started(Pass(values, weakref.proxy(run.variables[0])))

    def started(self, current: Pass) -> Generator[Item, None, None]:
        """Yield the elements, with a deadline if user code computes them."""
        items = self.items(current)
        if not self.calls_user:
            yield from items
            return
        with contextlib.closing(Ahead(items, 0)) as ahead:
            yield from ahead

    def fault(
        self, kind: Callable[..., Fault], message: str, *, code: str | None = None
    ) -> Fault:
        """Return an error that names this stage and the user's line."""
        return kind(message, code=code, op=self.name, site=self.site)

    def positive(self, argument: str, value: int) -> int:
        """Return an argument that must be at least 1."""
        if value < 1:
            raise self.fault(
                InvalidArgumentError,
                f"{argument} must be greater than zero, got {value}",
                code=codes.INVALID_ARGUMENT,
            )
        return value
