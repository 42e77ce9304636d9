"""The executor of graphs: parts of a graph, lowered once, run on a target."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from time import monotonic_ns
from typing import Any, Protocol

from tpuref.base.errors import InvalidArgumentError, OpError
from tpuref.engine.configuration import config
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.lowering import lower, needed_operations
from tpuref.engine.graph.placement import check_placement
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Program
from tpuref.engine.runtime.host import HostProgram
from tpuref.engine.runtime.log import logger
from tpuref.engine.runtime.meaning import recording
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.engine.runtime.meaning.trace import CoreTrace
from tpuref.engine.runtime.system import LOCAL, Cluster
from tpuref.engine.runtime.topology.devices import DeviceAttributes

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
            if isinstance(error, InvalidArgumentError):
                _explain_sizes(error)
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


def _explain_sizes(error: InvalidArgumentError) -> None:
    """Say in an error which operation made the sizes that do not fit."""
    if isinstance(error.op, Operation) and (source := _source_of_sizes(error.op)):
        error.message += (
            f"\n  sizes that only the run knows: of {source.name!r}, built at "
            f"{source.site}; to keep the size, mask values instead of selecting them"
        )


def _source_of_sizes(operation: Operation) -> Operation | None:
    """Return the operation that turned known shapes into open ones, if any."""
    pending, seen = [operation], {operation}
    while pending:
        made = [t.op for t in pending.pop().inputs if not t.shape.is_fully_defined()]
        for one in made:
            if one.inputs and all(t.shape.is_fully_defined() for t in one.inputs):
                return one
        pending += (one for one in made if one not in seen)
        seen.update(made)
    return None


class Target(Protocol):
    """The interface of targets, which run the programs of a session."""

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""

    def run(self, program: Program, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run `program` and return its results."""

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the devices."""

    def reset(self) -> None:
        """Forget the variables that sessions share."""

    def close(self) -> None:
        """Release the resources of the session."""


class LocalTarget:
    """Runs programs in this process, on the TPU systems of the `cluster`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._programs: dict[int, HostProgram] = {}

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""
        return self._cluster.jobs

    def run(self, program: Program, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run `program` and return its results."""
        run.systems = self._cluster
        prepared = self._programs.get(id(program))
        if prepared is None:
            prepared = self._programs[id(program)] = HostProgram(program)
        return prepared.run(inputs, run)

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the devices."""
        return self._cluster.devices()

    def reset(self) -> None:
        """Refuse: sessions of this process share no variables."""
        raise NotImplementedError(
            "tf.Session.reset: each session of this process has variables of its own; "
            "reset is for the target of a tf.train.Server"
        )

    def close(self) -> None:
        """Stop the systems of a cluster that belongs to the session alone."""
        if self._cluster is not LOCAL:
            self._cluster.reset()
