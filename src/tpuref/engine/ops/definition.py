"""The definition of an operation: one record with all facts about it."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import DType
from tpuref.base.errors import NotFoundError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.attribute import Attribute, attributes_of, checked
from tpuref.engine.ops.meaning import Array as Array
from tpuref.engine.ops.meaning import Compute, Meaning, with_numpy

Attrs = Mapping[str, Any]


@dataclass(frozen=True)
class Operand:
    """The inference rule's view of one input; `value` is None unless it is static."""

    shape: TensorShape
    dtype: DType
    value: Array | None = None

    def describe(self) -> str:
        """Return the short form used in messages, such as ``float32[2,?]``."""
        return TensorSpec(self.shape, self.dtype).describe()


class Place(Enum):
    """Where an operation runs."""

    ANYWHERE = "where it was placed"
    CALL = "on the host, for the core that reaches it"
    HOST = "on the host, never among what towers run on the cores"


class Block(NamedTuple):
    """A program inside an operation, such as ``"body"``.

    ``parameters(inputs, attrs)`` returns the number of its parameters from the number
    of the operation's inputs.
    """

    name: str
    parameters: Callable[[int, Attrs], int]


class BlockSpec(NamedTuple):
    """The inference rule's view of a program inside the operation."""

    parameters: Sequence[TensorSpec]
    results: Sequence[TensorSpec]


Infer = Callable[..., "TensorSpec | Sequence[TensorSpec]"]
Static = Callable[..., Any]


class Flow(Enum):
    """The kinds of control flow, which the interpreters implement."""

    BRANCH = "the first or second block, by a predicate"
    LOOP = "the second block while the first holds"
    COPY = "a slot of one replica into the same slot of others"
    REPLICATION = "a block on the cores, once for each replica"


@dataclass(frozen=True)
class ControlFlow:
    """The control flow of an operation, and the programs inside it."""

    flow: Flow
    blocks: tuple[Block, ...] = ()


class Access(Enum):
    """The accesses of operations that only read or write a variable.

    Executors then need not call its effect.
    """

    READ = "returns the value"
    ASSIGN = "sets the value to the input, and returns it"
    UPDATE = "sets the value to combine(value, input), and returns it"


@dataclass(frozen=True)
class Effects:
    """How an operation reads or changes external state."""

    # ``run(context, *arrays, **attrs)`` returns the outputs
    run: Compute | None = None
    # The attribute that names the variable that it reads, and writes
    reads: str | None = None
    writes: str | None = None
    # The attribute that names the queue that it fills, and takes from
    fills: str | None = None
    drains: str | None = None
    # Its access to the variable, and the function of an update
    access: Access | None = None
    combine: np.ufunc | None = None
    # Whether it needs Python objects of the client's process
    client: bool = False
    # Whether one call of the host may serve several evaluations
    ahead: bool = False


@dataclass(frozen=True)
class Batching:
    """How one call can compute an operation for all cores, or elements of a batch."""

    # Whether each output element depends only on the input elements at its position;
    # the inputs broadcast.
    broadcasts: bool = False
    # Whether, besides, its bits are the same at all positions
    elementwise: bool = False
    # ``elementwise_for(*operands, **attrs)``, the same where it depends on these
    elementwise_for: Callable[..., bool] | None = None
    # ``elementary(*operands, **attrs)`` returns the name of the elementwise operation
    # that computes it from its first inputs, if any; see `tpuref.kernels.elementwise`.
    elementary: Callable[..., str | None] | None = None
    # Whether the axes before the last two are batch axes, which broadcast; an attribute
    # ``axis`` must be -1.
    batched: bool = False
    # ``by_image(*operands, **attrs)`` returns the index of the operand with images
    # along its first axis, if each of their results has the same bits in any batch.
    by_image: Callable[..., int | None] | None = None
    # Whether it is a matrix product, with attributes ``transpose_a``, ``adjoint_b`` ...
    product: bool = False
    # The operation of two inputs that computes it step by step, from left to right
    of_two: str | None = None
    # Whether the shapes of the inputs alone decide the outputs
    of_shape: bool = False
    # ``stacked(*arrays, **attrs)`` computes for all cores at once; see
    # `tpuref.engine.ops.stacking`.
    stacked: Compute | None = None
    # Whether it only moves elements: where possible, `stacked` returns views.
    moves: bool = False


def elementary(name: str) -> Batching:
    """Return how to compute an operation of `tpuref.kernels.elementwise`.

    Its result may take the place of its inputs.
    """
    return Batching(
        broadcasts=True, elementwise=True, elementary=lambda *operands: name
    )


BROADCASTS = Batching(broadcasts=True)
ELEMENTWISE = Batching(broadcasts=True, elementwise=True)
BATCHED = Batching(batched=True)
OF_SHAPE = Batching(of_shape=True)


@dataclass(frozen=True)
class Traits:
    """Properties of an operation."""

    # The output is the attribute ``value``.
    constant: bool = False
    # The output is the input.
    forwards: bool = False
    # The value is fed and never computed.
    fed: bool = False
    # Each input is the value of another tower.
    joint: bool = False
    # `compute` takes the replica's own generator as ``rng=``.
    random: bool = False
    # It is evaluated to print or check, even if no output is used.
    printing: bool = False
    # It does nothing where its first input is true.
    asserts: bool = False
    # A mean of results is the result for the mean, as with a reshape.
    linear: bool = False
    # ``out=`` may be an input: each element is read once, before it is written.
    overwrites: bool = False


@dataclass(frozen=True, eq=False)
class OpDef:
    """One operation.

    One of `meaning` or `compute`, `collective` and `effects` defines its result.  The
    interpreters implement `control` flow; fed operations have no result.
    """

    name: str
    # ``infer(*operands, **attrs)`` returns the spec of the output, or a sequence of
    # specs if there is not exactly one.  Its keyword-only parameters are the
    # attributes; ``blocks=`` receives a `BlockSpec` for each block.  Its ValueError or
    # TypeError is the user's error.
    infer: Infer
    # ``meaning(xp, *arrays, **attrs)`` returns the output, or a sequence of outputs,
    # with the functions of the array namespace `xp`.
    meaning: Meaning | None = None
    # ``compute(*arrays, **attrs)``, the same for NumPy, which runs it if present.
    compute: Compute | None = None
    # The NumPy function that equals `compute` for inputs other than integers.
    inexact: np.ufunc | None = None
    # ``collective(contributions, **attrs)`` takes one input per replica, in replica
    # order, and returns the outputs in the same order.
    collective: Compute | None = None
    effects: Effects = Effects()
    place: Place = Place.ANYWHERE
    batching: Batching = Batching()
    control: ControlFlow | None = None
    # ``static(operand, **attrs)`` returns the output if the static shape of the input
    # suffices, else None.
    static: Static | None = None
    traits: Traits = Traits()
    # The module of `tpuref.engine.ops.derivatives` with the gradient rule, if any.
    # Core processes load no rules.
    gradient: str | None = None
    # The module of `tpuref.engine.runtime.xla.rules` with the rule, check or lowering;
    # None where XLA runs the meaning, the host runs it, or XLA cannot.
    xla: str | None = None

    def __post_init__(self) -> None:
        computes = self.meaning is not None or self.compute is not None
        ways = [computes, self.collective is not None, self.effects.run is not None]
        if sum(ways) > 1:
            raise ValueError(
                f"OpDef {self.name}: an operation computes, is collective, or has an "
                "effect; give one of them"
            )

    @cached_property
    def kernel(self) -> Compute | None:
        """The function of NumPy arrays: `compute`, or `meaning` with NumPy."""
        if self.compute is None and self.meaning is not None:
            return with_numpy(self.meaning)
        return self.compute

    @cached_property
    def flow(self) -> Flow | None:
        """The kind of its control flow."""
        return None if self.control is None else self.control.flow

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The programs inside it."""
        return () if self.control is None else self.control.blocks

    @property
    def reads(self) -> str | None:
        """The attribute that names the variable that it reads."""
        return self.effects.reads

    @property
    def writes(self) -> str | None:
        """The attribute that names the variable that it writes."""
        return self.effects.writes

    @cached_property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes by name."""
        attributes = attributes_of(self.infer)
        attributes.pop("blocks", None)  # not an attribute
        return attributes

    def check(self, attrs: Attrs) -> dict[str, Any]:
        """Return the attributes with defaults filled in; TypeError for a wrong one."""
        return checked(self.attributes, attrs)

    def check_inputs(self, count: int) -> None:
        """Raise TypeError unless the operation takes this many inputs."""
        least, most = self._arity
        if not least <= count <= most:
            wanted = str(least) if least == most else f"{least} or more"
            raise TypeError(f"it has {count} inputs, expected {wanted}")

    @cached_property
    def _arity(self) -> tuple[int, float]:
        """The minimum and maximum number of inputs."""
        kinds = [p.kind for p in inspect.signature(self.infer).parameters.values()]
        least = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
        several = inspect.Parameter.VAR_POSITIONAL in kinds
        return least, float("inf") if several else least

    @property
    def stateful(self) -> bool:
        """Whether it must not be folded, left out or repeated."""
        acts = self.effects.run is not None
        return acts or self.traits.random or self.traits.printing

    @property
    def acts(self) -> bool:
        """Whether it must run even if no output is used; inner programs aside."""
        used, traits = self.effects, self.traits
        changes = used.writes or used.fills or used.drains or not used.reads
        acts = used.run is not None and bool(changes)
        return acts or traits.printing or traits.joint or self.collective is not None

    @property
    def foldable(self) -> bool:
        """Whether it may be computed while the graph is built."""
        return self.kernel is not None and not self.stateful

    @property
    def on_every_core(self) -> bool:
        """Whether every core of a replica runs it, as branches and variables."""
        return bool(self.blocks) or self.writes is not None

    def is_elementwise(self, operands: Sequence[Operand], attrs: Attrs) -> bool:
        """Whether the bits of the result are the same at all positions of an array."""
        batching = self.batching
        decides = batching.elementwise_for or batching.elementary
        return batching.elementwise or bool(decides and decides(*operands, **attrs))

    def elementary(self, operands: Sequence[Operand], attrs: Attrs) -> str | None:
        """Return its name in `tpuref.kernels.elementwise`, if it has one."""
        if self.batching.elementary is not None:
            return self.batching.elementary(*operands, **attrs)
        function = self.function(operand.dtype.np for operand in operands)
        return function.__name__ if isinstance(function, np.ufunc) else None

    def function(self, dtypes: Iterable[np.dtype[Any]]) -> Compute:
        """Return `kernel` for these input dtypes, without its error explanations."""
        if self.inexact is not None and all(dtype.kind not in "iu" for dtype in dtypes):
            return self.inexact
        assert self.kernel is not None
        function: Compute = getattr(self.kernel, "__wrapped__", self.kernel)
        return function

    @cached_property
    def writes_into(self) -> bool:
        """Whether `kernel` takes ``out=``, the array to write its output to."""
        return self._takes("out")

    @cached_property
    def allocates(self) -> bool:
        """Whether `kernel` takes ``empty=``, the allocator of its outputs."""
        return self._takes("empty")

    def _takes(self, keyword: str) -> bool:
        function: Any = self.kernel
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if function is None or isinstance(function, np.ufunc):
            return function is not None and keyword == "out"
        return keyword in inspect.signature(function).parameters


class Registry:
    """The operations by name."""

    def __init__(self) -> None:
        self._definitions: dict[str, OpDef] = {}

    def add(self, definitions: Sequence[OpDef]) -> None:
        """Add one family of operations; a name that is taken is an error."""
        for definition in definitions:
            if definition.name in self._definitions:
                raise ValueError(f"operation {definition.name} is defined twice")
            self._definitions[definition.name] = definition

    def __getitem__(self, name: str) -> OpDef:
        try:
            return self._definitions[name]
        except KeyError:
            raise NotFoundError(
                f"no operation of type {name!r} is registered; the registered types "
                "are listed by tpuref.engine.ops.registry.REGISTRY.names()"
            ) from None

    def __contains__(self, name: str) -> bool:
        return name in self._definitions

    def names(self) -> list[str]:
        """Return the type names in alphabetical order."""
        return sorted(self._definitions)


def outputs_of(result: Any) -> tuple[Any, ...]:
    """Return the outputs of `infer` or `compute` as a tuple."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)
