"""Compute several reductions with few sums over the towers."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tpuref.base.dtypes import DType
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.distribute import reduction
from tpuref.interface.distribute.destinations import devices_of
from tpuref.interface.distribute.explanation import Report, explained
from tpuref.interface.distribute.place import current_place
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import Mirrored, PerDevice
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.scopes import control_dependencies

Total = Callable[[], Tensor]
"""Returns a total on the current device."""


class ReducedValues(list[Any]):
    """The results of `batch_reduce`; ``collectives`` counts the sums over towers."""

    collectives: int


@dataclass(frozen=True)
class Request:
    """A value to reduce: the towers' tensors, and the devices of the result."""

    parts: Sequence[Tensor]
    devices: list[str]

    @property
    def fits(self) -> bool:
        """Whether it can be concatenated with others: its shape is static."""
        return self.parts[0].shape.is_fully_defined()

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.parts[0].shape.num_elements() or 0


def reduced(
    function: str,
    aggregation: VariableAggregation,
    pairs: Sequence[tuple[Any, Any]],
    towers: TowerDevices,
) -> ReducedValues:
    """Return a mirrored value for each pair of a value and its destinations.

    `function` is the name of the caller, for messages.
    """
    reduction.check_aggregation(function, aggregation)
    if current_place().trace is not None:
        totals = reduced_in_trace(function, aggregation, [value for value, _ in pairs])
        results = ReducedValues(totals)
        results.collectives = len(results)
        return results
    requests = []
    for value, destinations in pairs:
        parts = reduction.contributions(function, value, towers.names)
        reduction.check_numbers(function, aggregation, parts)
        if aggregation is VariableAggregation.SUM:
            reduction.warn_of_means(parts)
        devices = devices_of(function, destinations, towers.names)
        requests.append(Request(parts, devices))
    return Batch(aggregation, towers, current_place().report).reduced(requests)


def reduced_in_trace(
    function: str, aggregation: VariableAggregation, values: Sequence[Any]
) -> list[Tensor]:
    """Return the combined values of replicas that are traced at once."""
    trace, results = current_place().trace, []
    assert trace is not None
    count = trace.towers.count
    for value in values:
        tensor = convert_to_tensor(value)
        reduction.check_numbers(function, aggregation, [tensor])
        if aggregation is VariableAggregation.SUM:
            reduction.warn_of_means([tensor] * count)
        total = trace.gathered(aggregation, tensor)
        results.append(reduction.finish(aggregation, count)(total))
    return results


def combined_value(
    aggregation: VariableAggregation,
    value: Any,
    destinations: Any,
    towers: TowerDevices,
) -> Any:
    """Reduce one value; a value that all towers share counts once for each tower."""
    if not isinstance(value, PerDevice):
        value = PerDevice(dict.fromkeys(towers.names, value))
    return reduced("reduce", aggregation, [(value, destinations)], towers)[0]


@dataclass
class Batch:
    """Several reductions with one aggregation.

    `report` receives an `Explanation` of each, unless it is None; `sums` counts the
    sums over the towers.
    """

    aggregation: VariableAggregation
    towers: TowerDevices
    report: Report | None
    sums: int = 0

    def reduced(self, requests: Sequence[Request]) -> ReducedValues:
        """Return a mirrored value for each request."""
        totals: dict[int, Total] = {}
        for group in self._groups(requests):
            members = [requests[number] for number in group]
            totals.update(zip(group, self._sum_together(members), strict=True))
        results = ReducedValues(
            self._mirror(request, totals[number])
            for number, request in enumerate(requests)
        )
        results.collectives = self.sums
        return results

    def _groups(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return the indices of requests that are summed together."""
        together: dict[DType, list[int]] = {}
        alone = []
        for number, request in enumerate(requests):
            # Concatenation needs one dtype, a static size, and a part in each tower; a
            # result of `map` may have any number of parts.
            if request.fits and len(request.parts) == self.towers.count:
                together.setdefault(request.parts[0].dtype, []).append(number)
            else:
                alone.append([number])
        return [*together.values(), *alone]

    def _sum_together(self, requests: Sequence[Request]) -> list[Total]:
        if self.aggregation is VariableAggregation.ONLY_FIRST_TOWER:
            return [functools.partial(identity, r.parts[0]) for r in requests]
        self.sums += 1
        if len(requests) == 1:
            (request,) = requests
            with self.towers.on(request.devices[0]):
                total = reduction.gathered(self.aggregation, request.parts)
            return [functools.partial(identity, total)]
        return self._split_total(self._concatenated_sum(requests), requests)

    def _concatenated_sum(self, requests: Sequence[Request]) -> Tensor:
        """Return the sum over the towers of all values, concatenated."""
        rows = []
        for tower in range(self.towers.count):
            with self.towers.on_tower(tower):
                own = [reshape(request.parts[tower], [-1]) for request in requests]
                rows.append(concat(own, 0))
        with self.towers.on_tower(0):
            return reduction.gathered(self.aggregation, rows)

    def _split_total(self, total: Tensor, requests: Sequence[Request]) -> list[Total]:
        begin = 0
        totals: list[Total] = []
        for request in requests:
            shape = request.parts[0].shape.as_tuple()
            totals.append(
                functools.partial(_piece, total, begin, begin + request.size, shape)
            )
            begin += request.size
        return totals

    def _mirror(self, request: Request, total: Total) -> Mirrored:
        finished = reduction.finish(self.aggregation, len(request.parts))
        copies = {}
        for device in request.devices:
            with self.towers.on(device):
                copies[device] = finished(total())
        return Mirrored(self._report_first(request, copies))

    def _report_first(
        self, request: Request, copies: dict[str, Tensor]
    ) -> dict[str, Tensor]:
        """Make the copies depend on the report."""
        if self.report is None:
            return copies
        first = next(iter(copies.values()))
        with self.towers.on_tower(0):
            told = explained(self.report, self.aggregation, request.parts, first)
        accounted: dict[str, Any] = {}
        for device, copy in copies.items():
            with contextlib.ExitStack() as stack:
                stack.enter_context(self.towers.on(device))
                if told is not None:
                    stack.enter_context(control_dependencies([told]))
                accounted[device] = identity(copy)
        return accounted


def _piece(total: Tensor, begin: int, end: int, shape: Any) -> Tensor:
    """Return one of the values that were summed together."""
    return reshape(total[begin:end], shape)
