"""Running a replicated computation: placement, inputs, commit of variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.configuration import config
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.tpu import Assignment, Padding, Replication
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.executor import Executor
from tpuref.engine.runtime.meaning.lockstep import Values, run_program
from tpuref.engine.runtime.meaning.padding import (
    PaddingRecord,
    account,
    pad,
    padded_shape,
)
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import ReplicaVariables, State, commit
from tpuref.engine.runtime.meaning.trace import CoreTrace
from tpuref.engine.runtime.topology.topology import Topology

OBSERVERS: list[Callable[[Instr, Values, Run], object]] = []
"""Called with each replicated computation, its inputs and its run, before it runs."""


@dataclass(frozen=True)
class Placement:
    """The physical core of each replica's logical cores."""

    # The system that runs
    topology: Topology
    # The job that owns it
    job: str
    # Physical core numbers, indexed by replica and logical core
    cores: tuple[tuple[int, ...], ...]
    # The attributes of the computation
    wanted: Replication

    @classmethod
    def decide(
        cls, instr: Instr, topology: Topology, fixed: bool, job: str
    ) -> Placement:
        """Follow the device assignment or, without one, the documented rule."""
        wanted, needed = Replication.of(instr.attrs), instr.blocks[0].num_cores
        if wanted.assignment is not None:
            cores = _follow_assignment(instr, wanted.assignment, topology)
            return cls(topology, job, cores, wanted)
        replicas = wanted.replicas
        if needed > 1:
            raise InvalidArgumentError(
                f"the computation uses {needed} logical cores per replica, so it needs "
                "a device_assignment, for example tf.contrib.tpu.device_assignment("
                f"topology, computation_shape=[1, 1, {needed}], "
                f"num_replicas={replicas}); or change {_highest(instr.blocks[0])}",
                code=codes.REPLICAS_UNLIKE_CORES,
            )
        if fixed and replicas not in (1, topology.num_cores):
            raise InvalidArgumentError(
                f"the computation has {replicas} replicas and the TPU system "
                f"{topology.num_cores} cores. Without a device_assignment there must "
                "be one replica, or as many as cores; give a device_assignment, or "
                f"initialise a system of {replicas} cores (TPUREF_CORES={replicas})",
                code=codes.REPLICAS_UNLIKE_CORES,
            )
        cores = tuple((replica,) for replica in range(replicas))
        return cls(topology, job, cores, wanted)

    def record(self, operation: str, replica: int, logical_core: int) -> CoreTrace:
        """Return the trace record of one operation."""
        core = self.cores[replica][logical_core]
        task, device = divmod(core, self.topology.num_tpus_per_task)
        name = f"/job:{self.job}/replica:0/task:{task}/device:TPU:{device}"
        return CoreTrace(operation, replica, logical_core, core, task, name)


def _follow_assignment(
    instr: Instr, assignment: Assignment, topology: Topology
) -> tuple[tuple[int, ...], ...]:
    replicas, needed = Replication.of(instr.attrs).replicas, instr.blocks[0].num_cores
    if len(assignment) != replicas:
        raise InvalidArgumentError(
            f"the computation has {replicas} replicas, its device_assignment has "
            f"{len(assignment)}; build the assignment with as many",
            code=codes.REPLICAS_UNLIKE_CORES,
        )
    if needed > len(assignment[0]):
        raise InvalidArgumentError(
            f"the computation uses {needed} logical cores per replica, its "
            f"device_assignment gives {len(assignment[0])}; build the assignment with "
            f"a larger computation_shape, or change {_highest(instr.blocks[0])}",
            code=codes.REPLICAS_UNLIKE_CORES,
        )
    try:
        return tuple(
            tuple(topology.core_at(_in_axes(place, topology)) for place in replica)
            for replica in assignment
        )
    except ValueError as error:
        raise InvalidArgumentError(
            "the device_assignment was made for another topology than the one that "
            f"runs [{codes.REPLICAS_UNLIKE_CORES}]: {error}"
        ) from None


def _in_axes(place: tuple[int, ...], topology: Topology) -> tuple[int, ...]:
    """Return coordinates in the lowest layer of chips with the axes of the topology.

    Releases from 2.4 give the layer of a chip, earlier ones do not.
    """
    if len(place) == 4 and topology.mesh_rank == 3 and place[2] == 0:
        return (*place[:2], place[3])
    if len(place) == 3 and topology.mesh_rank == 4:
        return (*place[:2], 0, place[2])
    return place


def _highest(program: Program) -> str:
    """Describe an operation on the highest logical core that the program uses."""
    instrs = [instr for instr in program.all_instrs() if instr.core >= 0]
    instr = max(instrs, key=lambda instr: instr.core)
    return f"{instr.name!r}, which is on core {instr.core}, built at {instr.site}"


def replicate(
    instr: Instr,
    inputs: Sequence[Array],
    placement: Placement,
    executor: Executor,
    run: Run,
) -> list[Array]:
    """Run the computation of `instr` and return the outputs, replica by replica."""
    wanted, program = placement.wanted, instr.blocks[0]
    replicas = wanted.replicas
    own, captured = divided(wanted, inputs)
    if wanted.padding is not None:
        _pad_inputs(instr, wanted.padding, own, executor, run)
    shared = run.variables[0]
    assert isinstance(shared, State)
    views = [ReplicaVariables(shared, program.handles_on(k)) for k in range(replicas)]
    host = ReplicaVariables(shared)
    inner = Run(
        state=run.state,
        variables=views,
        functions=run.functions,
        timeout=run.timeout,
        cores=placement.cores,
        record=placement.record,
        trace=run.trace,
        padding_log=run.padding_log,
        host_variables=host,
        watch=run.watch,
        elsewhere=run.elsewhere,
        events=run.events and run.events.within(placement.job, placement.cores),
    )
    values: Values = {replica: own[replica] + captured for replica in range(replicas)}
    for observe in OBSERVERS:
        observe(instr, values, inner)
    try:
        results = executor.run(program, values, inner)
    except BaseException as error:
        _end_waits(program, run, error)
        raise
    commit(views, host, shared, config.check_replicas, program.owners)
    return [array for replica in range(replicas) for array in results[replica]]


def replicate_on_host(instr: Instr, inputs: Sequence[Array], run: Run) -> list[Array]:
    """Run the computation of `instr` on the host; return the outputs by replica."""
    program, shared = instr.blocks[0], run.variables[0]
    assert isinstance(shared, State)
    own, captured = divided(Replication.of(instr.attrs), inputs)
    views = [ReplicaVariables(shared, program.handles_on(k)) for k in range(len(own))]
    values: Values = {replica: part + captured for replica, part in enumerate(own)}
    results = run_program(program, values, replace(run, variables=views, systems=None))
    host = ReplicaVariables(shared)
    commit(views, host, shared, config.check_replicas, program.owners)
    return [array for replica in range(len(own)) for array in results[replica]]


def divided(
    wanted: Replication, inputs: Sequence[Array]
) -> tuple[list[list[Array]], list[Array]]:
    """Return the inputs of each replica, and those that all replicas share."""
    replicas, count = wanted.replicas, wanted.inputs_per_replica
    own = [list(inputs[r * count : (r + 1) * count]) for r in range(replicas)]
    return own, list(inputs[replicas * count :])


def _end_waits(program: Program, run: Run, error: BaseException) -> None:
    """Wake the threads that wait at the queues of a failed computation."""
    definitions = [(instr, instr.definition) for instr in program.all_instrs()]
    used = {
        instr.attrs[queue]
        for instr, definition in definitions
        for queue in (definition.effects.fills, definition.effects.drains)
        if queue is not None
    }
    run.state.end_waits(used, f"{type(error).__name__}: {error}")


def _pad_inputs(
    instr: Instr,
    padding: Padding,
    inputs: list[list[Array]],
    executor: Executor,
    run: Run,
) -> None:
    """Pad every input that has a maximum shape, and record how."""
    record = run.padding_log.setdefault(instr.name, PaddingRecord())
    shapes = [[own[k].shape for own in inputs] for k in range(len(padding))]
    targets = [
        None if dims is None else padded_shape(name, shapes[k], dims)
        for k, (name, dims) in enumerate(padding)
    ]
    record.count(
        tuple(
            tuple(given) if target is None else (target,)
            for given, target in zip(shapes, targets, strict=True)
        )
    )
    record.inputs = tuple(
        account(instr.name, k, name, shapes[k], target, dims, record)
        for k, ((name, dims), target) in enumerate(zip(padding, targets, strict=True))
        if target is not None and dims is not None
    )
    for k, target in enumerate(targets):
        if target is not None:
            for own in inputs:
                buffer = executor.empty(target, own[k].dtype)
                own[k] = pad(own[k], buffer, config.padding_visible)
