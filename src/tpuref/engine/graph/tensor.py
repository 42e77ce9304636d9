"""Operations and the symbolic tensors that they produce."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import DType
from tpuref.base.errors import coded
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.builder import builder
from tpuref.engine.graph.context import session_for
from tpuref.engine.graph.device import DeviceName
from tpuref.engine.graph.operators import Operators
from tpuref.engine.graph.recognition import KnownTensor
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tower_placement import LABEL
from tpuref.engine.ops.creation import RANGE
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.registry import REGISTRY

if TYPE_CHECKING:
    from tpuref.engine.graph.graph import Graph


class Operation:
    """A node of the graph: an operation and its inputs.

    Functions such as ``tf.add`` create operations.  ``Session.run`` runs an operation
    and returns None for it.

    `site` is the user's line that built it; `device` is ``""`` if none was requested.
    """

    def __init__(
        self,
        graph: Graph,
        type: str,
        name: str,
        *,
        inputs: Sequence[Tensor],
        specs: Sequence[TensorSpec],
        attrs: Mapping[str, Any],
        control_inputs: Sequence[Operation],
        device: DeviceName,
        region: Region | None,
        blocks: Sequence[Region],
        site: CallSite,
        index: int,
    ) -> None:
        self.graph = graph
        self.type = type
        self.name = name
        self.inputs = tuple(inputs)
        self.attrs = dict(attrs)
        self.control_inputs = list(control_inputs)
        self.placement = device
        self.region = region
        self.blocks = tuple(blocks)
        self.site = site
        self.index = index
        self.labels: dict[str, Any] = {}
        self.outputs = [Tensor(self, k, spec) for k, spec in enumerate(specs)]

    @property
    def device(self) -> str:
        """The device name as text."""
        return str(self.placement)

    @property
    def definition(self) -> OpDef:
        """The operation's definition."""
        return REGISTRY[self.type]

    @property
    def logical_core(self) -> int | None:
        """The virtual core within a replica, where the device names one."""
        return self.placement.logical_core

    @property
    def host_label(self) -> str | None:
        """The label of the host call that contains it, None outside of one."""
        return self.labels.get("_xla_outside_compilation")

    @property
    def tower(self) -> int | None:
        """The tower that it belongs to, None outside of towers."""
        place = self.labels.get(LABEL)
        return None if place is None else place.tower

    @property
    def values(self) -> Callable[[], list[Tensor]]:
        """A function that returns the outputs, as in TensorFlow."""
        return lambda: list(self.outputs)

    @property
    def node_def(self) -> Operation:
        """The operation itself, which has the name, type and device of a node."""
        return self

    def get_attr(self, name: str) -> Any:
        """Return an attribute; ValueError if it does not exist."""
        instance_of(str, "Operation.get_attr: name", "a string", name)
        for table in (self.labels, self.attrs):
            if name in table:
                return table[name]
        raise ValueError(
            f"operation {self.name!r} ({self.type}) has no attribute {name!r}; it has "
            f"{sorted([*self.labels, *self.attrs])}"
        )

    def captured_inputs(self) -> list[Tensor]:
        """Return the inputs, and the tensors that the regions inside capture."""
        inner = [t for block in self.blocks for t in block.captured_tensors()]
        return [*self.inputs, *inner]

    def all_control_inputs(self) -> list[Operation]:
        """Return the operations that it and the regions inside wait for."""
        inner = [op for block in self.blocks for op in block.awaited_operations()]
        return [*self.control_inputs, *inner]

    @property
    def has_effect(self) -> bool:
        """Whether it has to run even if no output depends on it."""
        definition = self.definition
        if definition.writes is not None or definition.traits.printing:
            return True
        if definition.effects.run is not None and definition.reads is None:
            return True
        return any(op.has_effect for block in self.blocks for op in block.operations)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run this operation in `session`, by default the current one."""
        session_for(session, self.graph).run(self, feed_dict)

    def describe(self) -> str:
        """Return name, type, inputs and place for a message."""
        inputs = ", ".join(tensor.describe() for tensor in self.inputs)
        return (
            f"operation {self.name!r} ({self.type}) of ({inputs}), built at {self.site}"
        )

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


class Tensor(Operators, KnownTensor):
    """The symbolic result of an operation: a value that exists once a session runs.

    Tensors understand Python's operators and NumPy's functions, which add operations
    to the graph.  ``==`` compares identity, as in TensorFlow 1.x, or elements where
    TensorFlow 2 does; ``tf.equal`` always compares elements.

    `op` produces it, as its output `value_index`.  The static `shape` may be partly
    unknown.
    """

    def __init__(self, op: Operation, value_index: int, spec: TensorSpec) -> None:
        self.op = op
        self.value_index = value_index
        self._spec = spec
        self._constant: Array | None = None

    @property
    def graph(self) -> Graph:
        """The graph that the tensor belongs to."""
        return self.op.graph

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._spec.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._spec.shape

    @property
    def spec(self) -> TensorSpec:
        """Static shape and element type together."""
        return self._spec

    @property
    def name(self) -> str:
        """The name ``operation:index``."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def device(self) -> str:
        """The device name of the operation."""
        return self.op.device

    @property
    def ndim(self) -> int | None:
        """The rank, None where it is unknown."""
        return self.shape.ndims

    def get_shape(self) -> TensorShape:
        """Return the static shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Merge a shape that the caller knows into the static shape."""
        self._spec = TensorSpec(self.shape.merge_with(as_shape(shape)), self.dtype)

    def consumers(self) -> list[Operation]:
        """Return the operations that use the tensor."""
        operations = self.graph.get_operations()
        return [op for op in operations if any(self is t for t in op.inputs)]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Evaluate the tensor in `session`, by default the current one."""
        return session_for(session, self.graph).run(self, feed_dict)

    if not TYPE_CHECKING:  # the method of tensors that have a value

        @property
        def numpy(self) -> NoReturn:
            """Nothing: an AttributeError says how to get the value."""
            self._no_value("numpy()", AttributeError)

    def describe(self) -> str:
        """Return name and spec for a message."""
        return f"{self.name} {self._spec.describe()}"

    def operand(self) -> Operand:
        """Return the tensor's shape, dtype and static value for inference."""
        return Operand(self.shape, self.dtype, self._constant)

    def know_constant(self, value: Array | None) -> None:
        """Record the static value; None for none."""
        self._constant = value

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self.shape.ndims is None else f", shape={self.shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def __bool__(self) -> bool:
        if self.graph.traced:
            raise self._steers_python()
        raise codes.PYTHON_CONTROL_FLOW.type_error(
            f"the symbolic tensor {self.describe()} has no truth value while the graph "
            f"is built (made at {self.op.site}); use tf.cond or tf.where instead of "
            "`if`, tf.logical_and instead of `and`, or evaluate it with Session.run"
        )

    def _steers_python(self) -> TypeError:
        return codes.PYTHON_CONTROL_FLOW.type_error(
            f"the tensor {self.describe()}, made at {self.op.site}, has no truth value "
            "while tf.function traces; Python's `if` and `while` are not rewritten. "
            "Instead of `if x > 0: y = f(x)` with `else: y = g(x)` write\n"
            "    y = tf.cond(x > 0, lambda: f(x), lambda: g(x))\n"
            "and instead of `while x > 0: x = f(x)` write\n"
            "    x = tf.while_loop(lambda x: x > 0, f, [x])\n"
            "tf.where chooses element by element, tf.logical_and is Python's `and`"
        )

    def __len__(self) -> int:
        size = self.shape.dims[0].value if self.shape.dims else None
        if size is None:
            raise codes.NO_VALUE_YET.type_error(
                f"len() of {self.describe()} is not known while the graph is built; "
                "use tf.shape(x)[0]"
            )
        return size

    def __iter__(self) -> Iterator[Tensor]:
        if self.graph.traced and self.op.definition is RANGE:
            return builder().turns(self)
        if self.shape.ndims == 0:
            raise TypeError(f"cannot iterate over the scalar tensor {self.describe()}")
        if not self.shape.dims or self.shape.dims[0].value is None:
            raise codes.NO_VALUE_YET.type_error(
                f"cannot iterate over {self.describe()}: its length is not known while "
                f"the graph is built (made at {self.op.site}); use tf.map_fn for "
                "`for row in x`, or tf.while_loop, or give the tensor a static shape"
            )
        return (self[i] for i in range(len(self)))

    def _no_value(self, wanted: str, kind: type[Exception] = TypeError) -> NoReturn:
        if self.graph.traced:
            fault = (
                "does not exist while a function is traced; return the tensor and look "
                "at the result, show it with tf.print, or let functions run operation "
                "by operation: tf.config.run_functions_eagerly(True)"
            )
        else:
            fault = (
                "does not exist before a session evaluates it; use "
                "tf.Session().run(tensor), or call tf.enable_eager_execution() at the "
                "start of the program to compute values at once"
            )
        raise coded(
            kind,
            f"{wanted} of the symbolic tensor {self.describe()} {fault}",
            code=codes.NO_VALUE_YET,
        )

    def __int__(self) -> int:
        self._no_value("int()")

    def __float__(self) -> float:
        self._no_value("float()")

    def __index__(self) -> int:
        self._no_value("the index value")

    def __dlpack__(self, **wanted: Any) -> Any:
        self._no_value("the memory", BufferError)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.__dlpack__()  # type: ignore[no-any-return]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        self._no_value("the NumPy array", NotImplementedError)


def further_output(operation: Operation, spec: TensorSpec) -> Tensor:
    """Add an output to a branch or loop, whose regions return one more result."""
    output = Tensor(operation, len(operation.outputs), spec)
    operation.outputs.append(output)
    return output


def kept_of_each_turn(loop: Operation, tensor: Tensor) -> Tensor:
    """Add an output to a loop: the values of a tensor of its body in all iterations.

    It is a vector: the elements of the first iteration, then of the second, and so on.
    """
    loop.blocks[1].results.append(tensor)
    return further_output(loop, TensorSpec([None], tensor.dtype))
