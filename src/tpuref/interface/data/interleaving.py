"""Interleave the elements of the datasets that a function returns."""

from collections.abc import Callable, Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.interface.data.element import Item
from tpuref.interface.data.function import Function, check_callable
from tpuref.interface.data.sources import integer
from tpuref.interface.data.stage import Pass, Stage
from tpuref.interface.functions.identity import identity


class Interleave(Stage):
    """Interleaves the datasets that a function returns for elements.

    `cycle_length` datasets are open at a time; each yields `block_length` elements in
    turn.  `caller` is the method that takes the function, for messages.
    """

    name = "InterleaveDataset"

    def __init__(
        self,
        source: Stage,
        caller: str,
        function: Callable[..., Any],
        cycle_length: Any,
        block_length: Any,
    ) -> None:
        check_callable(caller, function)
        self._source = source
        self._cycle = integer(f"{caller} cycle_length", cycle_length)
        self._block = integer(f"{caller} block_length", block_length)
        stages: list[Stage] = []

        def needed(*element: Any) -> Any:
            dataset = function(*element)
            stage = getattr(dataset, "stage", None)
            if not isinstance(stage, Stage):
                raise codes.WRONG_ARGUMENT_TYPE.type_error(
                    f"{caller}: the function must return a tf.data.Dataset, got "
                    f"{dataset!r}"
                )
            stages.append(stage)
            # A function has at least one result.
            return (*map(identity, stage.captured), convert_to_tensor(0))

        self._function = Function(caller, needed, source.element)
        (self._made,) = stages
        own = [*self._function.captured, self._cycle, self._block]
        super().__init__(self._made.element, [source], own)
        self.variables += [*self._function.variables, *self._made.variables]

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements."""
        width = self.positive("cycle_length", current.number(self._cycle))
        block = self.positive("block_length", current.number(self._block))
        waiting = self._source.items(current)
        open_ones: list[Iterator[Item] | None] = [None] * width
        more = True
        while more or any(open_ones):
            for k in range(width):
                if open_ones[k] is None and more:
                    open_ones[k] = self._open_next(waiting, current)
                    more = open_ones[k] is not None
                items = open_ones[k]
                if items is None:
                    continue
                for _ in range(block):
                    item = next(items, None)
                    if item is None:
                        open_ones[k] = None
                        break
                    yield item

    def _open_next(
        self, waiting: Iterator[Item], current: Pass
    ) -> Iterator[Item] | None:
        """Return the elements of the next dataset, or None after the last."""
        item = next(waiting, None)
        if item is None:
            return None
        values = self._function(item, current)
        inner = Pass(
            dict(zip(self._made.captured, values, strict=False)),
            current.variables,
            current.draws,
            current.epochs,
        )
        return self._made.items(inner)
