"""Eager mode: operations run at once and return concrete tensors."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.callsite import user_site
from tpuref.base.spec import TensorSpec
from tpuref.engine.configuration import config
from tpuref.engine.graph.connection import connected_target, is_remote
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.executor import GraphExecutor, LocalTarget
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.definition import OpDef
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.host import run_instr
from tpuref.engine.runtime.meaning.recording import events_of_run
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.engine.runtime.system import LOCAL

STATE = State()
"""The variables, random draws and queues of eager mode; their runs alone write it."""


def run_at_once(
    definition: OpDef,
    tensors: Sequence[Tensor],
    specs: tuple[TensorSpec, ...],
    attrs: dict[str, Any],
    name: str | None,
) -> list[Tensor]:
    """Run one operation and return its outputs."""
    taken = tuple(range(len(tensors)))
    elsewhere = is_remote() and definition.effects.run is not None
    instr = Instr(
        op=definition.name,
        name=name or definition.name,
        inputs=taken,
        outputs=tuple(len(taken) + k for k in range(len(specs))) if elsewhere else (),
        attrs=attrs,
        specs=specs,
        core=0,
        site=user_site(),
    )
    arrays = [_array_of(tensor) for tensor in tensors]
    if elsewhere:  # variables live where the functions run that use them
        program = Program("eager", taken, (instr,), instr.outputs)
        outputs: Sequence[Array] = connected_target().run(program, arrays, _run())
    else:
        outputs = run_instr(instr, arrays, _run())
    return [EagerTensor.of(array, definition.name) for array in outputs]


def _array_of(tensor: Tensor) -> Array:
    if not isinstance(tensor, EagerTensor):
        raise codes.NO_VALUE_YET.type_error(
            f"the symbolic tensor {tensor.describe()} has no value in eager mode"
        )
    return tensor.array


def _run() -> Run:
    return Run(
        state=STATE,
        variables=[STATE],
        functions=get_default_graph().host_functions,
        systems=LOCAL,
        timeout=config.timeout,
        events=events_of_run(),
    )


def run_in_graph(build: Callable[[], Any]) -> Any:
    """Call `build` in a new graph and return the values of its results.

    Replicated computations are built as a whole before they run, also in eager mode.
    Operations among the results are run and become None.
    """
    outer = get_default_graph()
    graph = Graph()
    graph.seed = outer.seed
    graph.padding_log = outer.padding_log
    graph.queues = outer.queues
    with graph.as_default():
        result = build()
    leaves = nest.flatten(result)
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    operations = [leaf for leaf in leaves if isinstance(leaf, Operation)]
    executor = GraphExecutor(graph, STATE, LocalTarget(LOCAL))
    arrays = iter(executor.run(tensors, operations, {}))
    values = [
        EagerTensor.of(next(arrays)) if isinstance(v, Tensor) else None for v in leaves
    ]
    return nest.pack_sequence_as(result, values)
