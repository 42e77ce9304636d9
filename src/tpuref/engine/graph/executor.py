"""The executor of graphs: runs parts of a graph and caches their programs."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic_ns
from typing import Any

from tpuref.base.errors import OpError
from tpuref.engine.configuration import config
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.lowering import lower, needed_operations
from tpuref.engine.graph.placement import check_placement
from tpuref.engine.graph.target import Target
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Program
from tpuref.engine.runtime.log import logger
from tpuref.engine.runtime.meaning import recording
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.engine.runtime.meaning.trace import CoreTrace

_LOG = logger("program")


class GraphExecutor:
    """Runs parts of a graph on a target; holds their state and programs.

    With `soft_placement`, operations on unknown devices run on the host.
    """

    def __init__(
        self, graph: Graph, state: State, target: Target, soft_placement: bool = False
    ) -> None:
        self._soft_placement = soft_placement
        self.graph = graph
        self.state = state
        self.target = target
        self._programs: dict[tuple[object, ...], Program] = {}

    def run(
        self,
        tensors: Sequence[Tensor],
        operations: Sequence[Operation],
        feeds: dict[Tensor, Array],
        trace: list[CoreTrace] | None = None,
    ) -> list[Array]:
        """Return the values of `tensors` after running `operations` too."""
        program = self.program(tensors, operations, list(feeds))
        return self.run_program(program, list(feeds.values()), trace)

    def run_program(
        self,
        program: Program,
        inputs: Sequence[Array],
        trace: list[CoreTrace] | None = None,
    ) -> list[Array]:
        """Return the results of a program from `program`."""
        run = Run(
            state=self.state,
            variables=[self.state],
            functions=self.graph.host_functions,
            timeout=config.timeout,
            trace=trace,
            padding_log=self.graph.padding_log,
            watch=self.state.require_open,
            events=recording.events_of_run(),
        )
        try:
            return self.target.run(program, inputs, run)
        except OpError as error:
            error.op = self._operation(error.op)
            raise

    def _operation(self, named: Any) -> Any:
        """Return the operation with a name, if the graph has one."""
        if not isinstance(named, str):
            return named
        try:
            return self.graph.get_operation_by_name(named)
        except KeyError:
            return named

    def program(
        self,
        tensors: Sequence[Tensor],
        operations: Sequence[Operation],
        fed: Sequence[Tensor],
    ) -> Program:
        """Return the program that computes `tensors` and runs `operations`."""
        # A tensor's part of the graph never changes, so its program is made once.
        key = (tuple(tensors), tuple(operations), tuple(fed))
        if key not in self._programs:
            begin = monotonic_ns()
            for operation in needed_operations(tensors, operations, set(fed)):
                check_placement(operation, self.target.jobs, self._soft_placement)
            self._programs[key] = lower(tensors, operations, fed)
            recording.note_on_host("compile", begin)
            _LOG.debug(
                "compiled a program of %d instructions in %.1f ms",
                len(self._programs[key].instrs),
                (monotonic_ns() - begin) / 1e6,
            )
        return self._programs[key]
