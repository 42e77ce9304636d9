"""Eager mode: operations run at once and give concrete tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import dlpack, nest
from tpuref.base import error_codes as codes
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import as_dtype, string
from tpuref.base.errors import coded
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.configuration import config
from tpuref.graph.build import infer_specs
from tpuref.graph.carrier import Here
from tpuref.graph.convert import constant_of, convert_operands
from tpuref.graph.default import get_default_graph
from tpuref.graph.execution import Execution
from tpuref.graph.graph import Graph
from tpuref.graph.tensor import Operation, Tensor
from tpuref.ops.definition import Array, OpDef, Operand
from tpuref.program import Instr
from tpuref.runtime.lockstep import run_instr
from tpuref.runtime.recording import events_of_run
from tpuref.runtime.run import Run
from tpuref.runtime.state import State
from tpuref.runtime.system import LOCAL

STATE = State()
"""The variables, random draws and queues of eager mode."""


class EagerTensor(Tensor):
    """A tensor that has its value already.

    Examples
    --------
    >>> import tpuref as tf
    >>> with tf.eager_execution():
    ...     (tf.constant([1, 2]) + 1).numpy()
    array([2, 3], dtype=int32)
    """

    def __init__(self, op: Operation, spec: TensorSpec, value: Array) -> None:
        super().__init__(op, 0, spec)
        self._value = value

    @classmethod
    def of(cls, value: Array, made_by: str = "Const") -> EagerTensor:
        """Return the tensor of an array."""
        dtype = string if value.dtype == object else as_dtype(value.dtype)
        spec = TensorSpec(TensorShape(value.shape), dtype)
        return cls(_source(made_by), spec, value)

    def numpy(self) -> Any:
        """Return a copy of the value as a NumPy array, or scalar for rank 0."""
        return self._value[()] if self._value.ndim == 0 else self._value.copy()

    @property
    def array(self) -> Array:
        """The value itself, which must not be changed."""
        return self._value

    def in_graph(self, graph: Graph) -> Tensor:
        """Return a constant of the graph being built that has this value."""
        return constant_of(self._value)

    def _as_graph_element(self) -> Tensor:
        raise coded(
            TypeError,
            f"{self!r} has its value already and is part of no graph; use numpy(), or "
            "tf.identity to bring it into one",
            code=codes.WRONG_MODE,
        )

    def operand(self) -> Operand:
        """Return what an inference rule may know: everything."""
        return Operand(self.shape, self.dtype, self._value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is not False:
            return np.array(self._value, dtype)
        if dtype is not None and np.dtype(dtype) != self._value.dtype:
            raise ValueError(
                f"{self.spec.describe()} cannot become an array of {np.dtype(dtype)} "
                "without a copy; leave copy=False out"
            )
        shown: Array = self._value.view()
        shown.flags.writeable = False
        return shown

    def __dlpack__(self, **wanted: Any) -> Any:
        return dlpack.exported(self._value, **wanted)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return int(self._value)

    def __float__(self) -> float:
        return float(self._value)

    def __index__(self) -> int:
        return int(self._value.__index__())

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def _repr_html_(self) -> str:
        from tpuref.graph.notebook import value_html  # beside that of other tensors

        return value_html(self._value, self.spec)

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor shape={self.shape} dtype={self.dtype.name} "
            f"numpy={self.numpy()!r}>"
        )

    def __str__(self) -> str:
        return f"tf.Tensor({self.numpy()}, shape={self.shape}, dtype={self.dtype.name})"


def _source(type: str) -> Operation:
    """Return an operation that tells where the tensor was made, and nothing more."""
    return Operation(
        get_default_graph(),
        type,
        type,
        inputs=(),
        specs=(),
        attrs={},
        control_inputs=(),
        device=get_default_graph().current_device,
        region=None,
        blocks=(),
        site=user_site(),
        index=-1,
    )


def run_at_once(
    definition: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None
) -> list[Tensor]:
    """Run one operation and return its outputs."""
    tensors = convert_operands(definition.name, inputs)
    instr = Instr(
        op=definition.name,
        name=name or definition.name,
        inputs=tuple(range(len(tensors))),
        outputs=(),
        attrs=attrs,
        specs=infer_specs(definition, tensors, attrs, name),
        core=0,
        site=user_site(),
    )
    arrays = [_array_of(tensor) for tensor in tensors]
    outputs = run_instr(instr, {0: arrays}, _run())[0]
    return [EagerTensor.of(array, definition.name) for array in outputs]


def _array_of(tensor: Tensor) -> Array:
    if not isinstance(tensor, EagerTensor):
        raise coded(
            TypeError,
            f"the symbolic tensor {tensor.describe()} has no value in eager mode",
            code=codes.NO_VALUE_YET,
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
    """Call `build` in a graph of its own, run what it returns, and give the values.

    Replicated computations are built as a whole before they run, in eager mode too.
    Operations among the results are run and become None.
    """
    around = get_default_graph()
    graph = Graph()
    graph.seed = around.seed
    graph.padding_log = around.padding_log
    graph.queues = around.queues
    with graph.as_default():
        result = build()
    leaves = nest.flatten(result)
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    operations = [leaf for leaf in leaves if isinstance(leaf, Operation)]
    execution = Execution(graph, STATE, Here(LOCAL))
    arrays = iter(execution.run(tensors, operations, {}))
    values = [
        EagerTensor.of(next(arrays)) if isinstance(v, Tensor) else None for v in leaves
    ]
    return nest.pack_sequence_as(result, values)
