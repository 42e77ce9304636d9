"""What an operation is: its name, its inference rule, and what it computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tpuref.base.dtypes import DType
from tpuref.base.errors import NotFoundError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec

Array = np.ndarray[Any, np.dtype[Any]]
Attrs = Mapping[str, Any]


@dataclass(frozen=True)
class Operand:
    """What an inference rule knows of one input.

    Parameters
    ----------
    shape
        The static shape, possibly partly unknown.
    dtype
        The element type.
    value
        The value itself where it is known while the graph is built, else None.
    """

    shape: TensorShape
    dtype: DType
    value: Array | None = None

    def describe(self) -> str:
        """Return the short form used in messages, such as ``float32[2,?]``."""
        return TensorSpec(self.shape, self.dtype).describe()


Infer = Callable[..., "TensorSpec | Sequence[TensorSpec]"]
Compute = Callable[..., Any]


@dataclass(frozen=True)
class OpDef:
    """One operation.

    Parameters
    ----------
    name
        The type name, as in ``operation.type``.
    infer
        ``infer(*operands, **attrs)`` gives the spec of the output, or a sequence of
        specs where the operation has none or several.  A ValueError or TypeError
        that it raises is the user's error.
    compute
        ``compute(*arrays, **attrs)`` gives the output array, or a sequence of
        arrays.  It depends on nothing else and changes nothing, unless `stateful`.
    collective
        ``collective(contributions, **attrs)``: takes the inputs of all replicas
        (one array each, in replica order) and gives the outputs in the same order.
    random
        Whether `compute` takes the replica's own generator as ``rng=``.
    stateful
        Whether evaluation has an effect or differs from one time to the next, so that
        it may be neither folded nor left out.

    Notes
    -----
    An operation that has neither `compute` nor `collective` has a rule of its own in
    the interpreter: variables, control flow, host calls, queues, the TPU system.
    """

    name: str
    infer: Infer
    compute: Compute | None = None
    collective: Compute | None = None
    random: bool = False
    stateful: bool = False

    def __post_init__(self) -> None:
        if self.compute is not None and self.collective is not None:
            raise ValueError(f"OpDef {self.name}: give compute or collective, not both")

    @property
    def foldable(self) -> bool:
        """Whether the operation may be computed while the graph is built."""
        return self.compute is not None and not (self.random or self.stateful)

    @cached_property
    def writes_into(self) -> bool:
        """Whether `compute` takes ``out=``, the array to write its output into."""
        return self._takes("out")

    @cached_property
    def allocates(self) -> bool:
        """Whether `compute` takes ``empty=``, what makes its output arrays."""
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
