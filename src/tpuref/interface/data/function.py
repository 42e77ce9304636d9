"""Trace user functions once, and run them for each element."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.callsite import user_site
from tpuref.base.errors import InaccessibleTensorError, coded
from tpuref.base.spec import TensorSpec
from tpuref.engine.configuration import config
from tpuref.engine.graph.build import parameter
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.lowering import lower_region
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.sources import ARGUMENT
from tpuref.engine.runtime.host import run_program
from tpuref.engine.runtime.meaning.run import Run
from tpuref.interface.data.ahead import Transformation, note_progress
from tpuref.interface.data.batched import qualifies, run_batch
from tpuref.interface.data.element import (
    Item,
    components_of,
    mapped,
    specs_of,
    with_sparse,
    without_sparse,
)
from tpuref.interface.data.stage import Pass


class Function(Transformation):
    """A user function of elements, compiled to a program."""

    def __init__(self, caller: str, function: Callable[..., Any], element: Any) -> None:
        check_callable(caller, function)
        self.site, self._label = user_site(), caller.rpartition(".")[2]
        graph = get_default_graph()
        if executing_eagerly():
            graph, outer = Graph(), graph
            graph.seed = outer.seed
        with graph.as_default():
            region, result = _trace(caller, function, element, graph)
        self.result = mapped(result, lambda tensor: tensor.spec)
        self.captured = region.captured_tensors()
        self._program = lower_region(region)
        self._host_functions = graph.host_functions
        instrs = list(self._program.all_instrs())
        self.variables = [i.attrs["handle"] for i in instrs if "handle" in i.attrs]
        # Whether it may not end: it calls Python, or has a loop
        self.calls_user = any(i.definition.effects.client or i.blocks for i in instrs)
        dense = all(isinstance(c, TensorSpec) for c in components_of(self.result))
        self._in_batches = dense and qualifies(self._program, self._host_functions)

    @property
    def name(self) -> str:
        """The name of the stage that uses the function."""
        return f"{self._label.title().replace('_', '')}Dataset"

    def __call__(self, item: Item, current: Pass) -> Item:
        """Return the components of the result for one element."""
        inputs = [*item, *self._common(current)]
        results = run_program(self._program, inputs, self._run(current))
        note_progress()
        return tuple(results)

    def batch(self, items: Sequence[Item], current: Pass) -> Item | None:
        """Return stacked results for several elements, None if not possible."""
        if not self._in_batches:
            return None
        common = self._common(current)
        return run_batch(self._program, items, common, self._run(current))

    def _common(self, current: Pass) -> list[Array]:
        return [current.values[tensor] for tensor in self.captured]

    def _run(self, current: Pass) -> Run:
        return Run(
            state=current.draws,
            variables=[current.variables or current.draws],
            functions=self._host_functions,
            timeout=config.timeout,
        )


def check_callable(caller: str, function: Any) -> None:
    """Raise an error unless an argument is callable."""
    if not callable(function):
        raise codes.INVALID_ARGUMENT.type_error(
            f"{caller}: expected a function, got {function!r}"
        )


def _trace(
    caller: str, function: Callable[..., Any], element: Any, graph: Graph
) -> tuple[Region, Any]:
    """Call the function with symbolic elements; return its region and its result."""
    label = caller.rpartition(".")[2].strip("_") or "function"
    name = graph.unique_name(label, mark_as_used=False)
    region = Region(f"function of {caller}", name, graph.region, user_site())
    with graph.in_region(region), graph.name_scope(label):
        region.parameters = [
            parameter(ARGUMENT, spec, f"arg{k}", k)
            for k, spec in enumerate(specs_of(element))
        ]
        given = with_sparse(nest.pack_sequence_as(element, region.parameters), element)
        returned = function(*given) if type(given) is tuple else function(given)
        # A list of py_func, whose tensors may have different shapes.
        returned = tuple(returned) if isinstance(returned, list) else returned
        parts = returned if returned is None else without_sparse(returned)
        result = mapped(parts, lambda leaf: _component(caller, leaf))
    region.results = nest.flatten(result)
    for tensor in region.results:
        _check_accessible(caller, tensor, region)
    return region, result


def _component(caller: str, value: Any) -> Tensor:
    if value is None or isinstance(value, Operation):
        raise codes.INVALID_ARGUMENT.type_error(
            f"{caller}: the function returned {value!r}, expected tensors, or tuples "
            "and dicts of tensors"
        )
    return convert_to_tensor(value)


def _check_accessible(caller: str, tensor: Tensor, region: Region) -> None:
    owner = tensor.op.region
    if owner is not None and not region.is_within(owner):
        raise coded(
            InaccessibleTensorError,
            f"{caller}: the function returned {tensor.describe()}, which belongs to "
            f"the {owner.kind} {owner.name!r}",
            code=codes.LEAKED_TENSOR,
        )
