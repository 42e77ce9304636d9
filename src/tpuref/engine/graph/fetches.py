"""Fetches of a session call, and the structure of their values."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import InaccessibleTensorError, coded
from tpuref.engine.graph.graph import Graph, with_parts
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.meaning import Array
from tpuref.kernels.slab import Slab

Packing = Callable[[Sequence[Any]], Any]
"""Makes a structure from the values of all its leaves."""


class Evaluates(Protocol):
    """The type of fetches with a value: tensors and variables."""

    def eval(self, *, session: Any = None) -> Any:
        """Evaluate it."""


EvaluatesT = TypeVar("EvaluatesT", bound=Evaluates)
Key = TypeVar("Key")


class Fetches:
    """The tensors and operations of a structure of fetches.

    `tensors` are evaluated, `operations` only run.  The structure is kept alive so that
    the ids of its leaves stay unique.
    """

    def __init__(self, graph: Graph, structure: Any) -> None:
        self.structure = structure
        whole = with_parts(structure)
        elements = [_element_of(graph, leaf) for leaf in nest.flatten(whole)]
        self.tensors = [e for e in elements if isinstance(e, Tensor)]
        self.operations = [e for e in elements if isinstance(e, Operation)]
        places = iter(range(len(self.tensors)))
        self._places = [next(places) if isinstance(e, Tensor) else -1 for e in elements]
        self._whole = whole
        self._pack: Packing | None = None
        if identity(structure) is not None:
            self._pack = _packing_of(whole, iter(self._places).__next__)

    def packed(self, arrays: Sequence[Array]) -> Any:
        """Return the values of the tensors in the structure, None for operations."""
        values = [*_for_user(arrays), None]
        if self._pack is not None:
            return self._pack(values)
        leaves = [values[place] for place in self._places]
        return nest.pack_sequence_as(self._whole, leaves)


def identity(structure: Any) -> Hashable:
    """Return the cache key of a structure of fetches.

    It is None if the next call may find other fetches in the same structure: in a value
    that stands for one tensor here and another elsewhere, or in a custom container.
    """
    try:
        return _identity(structure)
    except RecursionError:
        return None


def _identity(part: Any) -> Hashable:
    kind = part.__class__
    if kind is Tensor or kind is Operation or kind is Variable:
        return id(part)
    if kind is str:
        return part  # type: ignore[no-any-return]
    if kind is dict:
        if not all(key.__class__ is str for key in part):
            return None
        return _of_parts((dict, *part), part.values())
    if isinstance(part, tuple) or kind is list:
        return _of_parts((kind,), part)
    return None


def _of_parts(begin: tuple[Hashable, ...], parts: Iterable[Any]) -> Hashable:
    inner = tuple([_identity(part) for part in parts])
    return None if None in inner else (*begin, inner)


def _packing_of(part: Any, next_place: Callable[[], int]) -> Packing:
    """Return a function that packs values in the structure of `part`."""
    if not nest.is_nested(part):
        place = next_place()
        return lambda values: values[place]
    if isinstance(part, dict):
        inner = {k: _packing_of(part[k], next_place) for k in nest.sorted_keys(part)}
        items = [(key, inner[key]) for key in part]
        return lambda values: {key: pack(values) for key, pack in items}
    packs = [_packing_of(child, next_place) for child in part]
    if isinstance(part, list):
        return lambda values: [pack(values) for pack in packs]
    kind: Any = type(part)
    if hasattr(part, "_fields"):
        return lambda values: kind(*[pack(values) for pack in packs])
    return lambda values: kind([pack(values) for pack in packs])


def _element_of(graph: Graph, fetch: Any) -> Tensor | Operation:
    try:
        element = graph.as_graph_element(fetch)
    except TypeError:
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"Session.run: cannot fetch {fetch!r} of type {type(fetch).__name__}; "
            "give tensors, operations, variables or their names"
        ) from None
    except (ValueError, KeyError) as error:
        raise ValueError(
            f"Session.run: cannot fetch {fetch!r}: {error.args[0]}"
        ) from None
    region = (element.op if isinstance(element, Tensor) else element).region
    if region is not None:
        raise coded(
            InaccessibleTensorError,
            f"Session.run: cannot fetch {element!r}: it belongs to the "
            f"{region.kind} {region.name!r} and has a value only there; return it "
            "from that function and fetch what comes back",
            code=codes.LEAKED_TENSOR,
        )
    return element


def _for_user(arrays: Sequence[Array]) -> list[Any]:
    """Convert a value for the user: scalars for rank 0, no shared memory."""
    # An array that owns its memory is returned without a copy. A view, such as the
    # result of one replica, is copied: it would keep the whole array alive.
    handed_out: set[int] = set()
    shown: list[Any] = []
    for array in arrays:
        slab = None if array.ndim == 0 else Slab.of(array)
        if array.ndim == 0:
            shown.append(array[()])
        elif slab is None or id(slab) in handed_out or 2 * array.nbytes <= slab.nbytes:
            shown.append(array.copy())
        else:
            handed_out.add(id(slab))
            shown.append(array)
    return shown
