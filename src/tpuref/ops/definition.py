"""The definition of an operation: one record with all facts about it."""

from __future__ import annotations

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
from tpuref.ops.attribute import Attribute, attributes_of, checked
from tpuref.ops.meaning import Array as Array
from tpuref.ops.meaning import Compute, Meaning, with_numpy

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
Gradient = Callable[..., Any]
"""``gradient(apply, operation, *gradients)``; see `tpuref.ops.derivatives`."""


@dataclass(frozen=True, eq=False)
class OpDef:
    """One operation.

    What it does is said by `meaning`, `compute`, `collective` or `effect`.  An
    operation with blocks, one whose value is fed, and one that copies between towers
    have none of these: the interpreters know them.

    Parameters
    ----------
    name
        The type name, as in ``operation.type``.
    infer
        ``infer(*operands, **attrs)`` gives the spec of the output, or a sequence of
        specs where the operation has none or several.  Its keyword-only parameters are
        the attributes of the operation.  A ValueError or TypeError that it raises is
        the user's error.  An operation with blocks gets a `BlockSpec` for each as
        ``blocks=``.
    meaning
        ``meaning(xp, *arrays, **attrs)`` gives the output, or a sequence of outputs,
        with the functions of the array namespace `xp`.
    compute
        ``compute(*arrays, **attrs)``, the same for NumPy alone; where `meaning` is
        given too, NumPy runs this.
    inexact
        The function of NumPy that does the same with numbers that are not integers;
        where `compute` looks at integers only.
    collective
        ``collective(contributions, **attrs)``: takes the inputs of all replicas (one
        array each, in replica order) and gives the outputs in the same order.
    effect
        ``effect(context, *arrays, **attrs)`` reads or changes what is outside of the
        program: variables, queues, the host.
    place
        Where it runs.
    client
        Whether it needs Python objects that only the process of the client has.
    reads, writes
        The attribute that names the variable that it reads, and writes.
    fills, drains
        The attribute that names the queue that it fills, and takes from.
    ahead
        Whether one call of the host may give what several evaluations take.
    random
        Whether `compute` takes the replica's own generator as ``rng=``.
    printing
        Whether it is evaluated for what it shows or checks, although its outputs are a
        function of its inputs.
    fed
        Whether its value comes from outside and is never computed.
    joint
        Whether each input is the value of another tower.
    elementwise
        Whether each element of the outputs comes from the elements of the inputs at
        the same place, in the same way wherever that is; the inputs broadcast.
    batched
        Whether the last two axes of inputs of equal rank give those of the output, in
        the same way for all indices along the axes before, which broadcast; if there
        is an attribute ``axis``, only where it is -1.
    stacked
        ``stacked(*arrays, **attrs)`` computes for all cores at once; see
        `tpuref.ops.stacking`.
    of_shape
        Whether the shapes of the inputs alone decide the outputs.
    linear
        Whether a mean of results is the result for the mean, as with a reshape.
    static
        ``static(operand, **attrs)`` gives the output where the static shape of the
        input is enough for it, else None.
    blocks
        The programs inside it.
    gradient
        ``gradient(apply, operation, *gradients)`` gives the gradients of the inputs
        from those of the outputs, as `tpuref.ops.derivatives` describes; None where
        there is no rule.  `Registry.add` fills it in.
    """

    name: str
    infer: Infer
    meaning: Meaning | None = None
    compute: Compute | None = None
    inexact: np.ufunc | None = None
    collective: Compute | None = None
    effect: Compute | None = None
    place: Place = Place.ANYWHERE
    client: bool = False
    reads: str | None = None
    writes: str | None = None
    fills: str | None = None
    drains: str | None = None
    ahead: bool = False
    random: bool = False
    printing: bool = False
    fed: bool = False
    joint: bool = False
    elementwise: bool = False
    batched: bool = False
    stacked: Compute | None = None
    of_shape: bool = False
    linear: bool = False
    static: Static | None = None
    blocks: tuple[Block, ...] = ()
    gradient: Gradient | None = None

    def __post_init__(self) -> None:
        computes = self.meaning is not None or self.compute is not None
        ways = [computes, self.collective is not None, self.effect is not None]
        if sum(ways) > 1:
            raise ValueError(
                f"OpDef {self.name}: an operation computes, is collective, or has an "
                "effect; give one of them"
            )
        if self.meaning is not None and self.compute is None:
            object.__setattr__(self, "compute", with_numpy(self.meaning))

    @cached_property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes by name."""
        found = attributes_of(self.infer)
        found.pop("blocks", None)  # what is inside is no attribute
        return found

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
        return self.effect is not None or self.random or self.printing

    @property
    def foldable(self) -> bool:
        """Whether it may be computed while the graph is built."""
        return self.compute is not None and not self.stateful

    @property
    def ordered(self) -> bool:
        """Whether it keeps its order among the ordered operations."""
        touched = (self.reads, self.writes, self.fills, self.drains)
        elsewhere = self.place is not Place.ANYWHERE and not self.fed
        return elsewhere or self.printing or any(touched) or bool(self.collective)

    @property
    def on_every_core(self) -> bool:
        """Whether every core of a replica runs it, as branches and variables."""
        return bool(self.blocks) or self.writes is not None

    def function(self, dtypes: Iterable[np.dtype[Any]]) -> Compute:
        """Return `compute` for these input dtypes, without its error explanations."""
        if self.inexact is not None and all(dtype.kind not in "iu" for dtype in dtypes):
            return self.inexact
        assert self.compute is not None
        function: Compute = getattr(self.compute, "__wrapped__", self.compute)
        return function

    @cached_property
    def writes_into(self) -> bool:
        """Whether `compute` takes ``out=``, the array to write its output to."""
        return self._takes("out")

    @cached_property
    def allocates(self) -> bool:
        """Whether `compute` takes ``empty=``, the allocator of its outputs."""
        return self._takes("empty")

    def _takes(self, keyword: str) -> bool:
        function: Any = self.compute
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

    def add_gradients(self, rules: Mapping[str, Gradient]) -> None:
        """Add the rules of gradients by name; one for no operation is an error."""
        for name, gradient in rules.items():
            object.__setattr__(self[name], "gradient", gradient)

    def __getitem__(self, name: str) -> OpDef:
        try:
            return self._definitions[name]
        except KeyError:
            raise NotFoundError(
                f"no operation of type {name!r} is registered; the registered types "
                "are listed by tpuref.ops.registry.REGISTRY.names()"
            ) from None

    def __contains__(self, name: str) -> bool:
        return name in self._definitions

    def names(self) -> list[str]:
        """Return the type names in alphabetical order."""
        return sorted(self._definitions)


def outputs_of(result: Any) -> tuple[Any, ...]:
    """Return the outputs of `infer` or `compute` as a tuple."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)
