"""The graph of objects below a root: their variables, and the attributes between them.

It is stored with the values, so that they find their variables by attributes, whatever
names TensorFlow gave them.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from tpuref.engine.graph.trackable import AutoTrackable
from tpuref.engine.graph.variables import Variable

_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_SLOT = "/.OPTIMIZER_SLOT/"

Node = dict[str, Any]
"""A stored object: ``children`` maps attributes to numbers of objects, ``variable`` is
the name of its value, and ``slots`` lists variables of an optimizer: the number of the
primary variable, the name of the slot, and the number of the slot variable."""


class ObjectGraph:
    """The objects that attributes and items lead to from a root.

    `variables` maps names to variables, sorted by name; the name is the shortest path.
    """

    def __init__(self, root: Any) -> None:
        self._objects, self._paths = [root], [""]
        self._children: list[dict[str, int]] = [{}]
        self._numbers = {id(root): 0}
        self._names: dict[int, str] = {}
        self._slots: dict[int, list[tuple[int, str, int]]] = {}
        variables: dict[str, Variable] = {}
        for listed in (_own_members, _all_members):
            for number, value in enumerate(self._objects):
                if (variable := _variable_of(value)) is not None:
                    self._names[number] = self._paths[number] + _VALUE
                    variables[self._names[number]] = variable
                    continue
                for name, child in listed(value):
                    self._add(number, str(name), child)
        for number, name, primary, slot in list(self._slots_beside()):
            at = self._append(slot, "")
            beside = f"{self._paths[primary]}{_SLOT}{self._paths[number]}/{name}"
            self._names[at] = beside + _VALUE
            variables[self._names[at]] = slot
            self._slots.setdefault(number, []).append((primary, name, at))
        self.variables = dict(sorted(variables.items()))

    def _add(self, number: int, name: str, child: Any) -> None:
        """Add the object that an attribute leads to, and its path if it is new."""
        if id(child) not in self._numbers:
            path, escaped = self._paths[number], name.replace(".", "..")
            escaped = escaped.replace("/", ".S")
            at = self._append(child, f"{path}/{escaped}" if path else escaped)
            self._numbers[id(child)] = at
        self._children[number].setdefault(name, self._numbers[id(child)])

    def _append(self, value: Any, path: str) -> int:
        self._objects.append(value)
        self._paths.append(path)
        self._children.append({})
        return len(self._objects) - 1

    def _slots_beside(self) -> Iterator[tuple[int, str, int, Variable]]:
        for number, value in enumerate(self._objects):
            if hasattr(type(value), "_slots_beside"):
                for name, primary, slot in value._slots_beside():
                    if id(primary) in self._numbers:
                        yield number, name, self._numbers[id(primary)], slot

    def record(self) -> list[Node]:
        """Return the objects that lead to variables, the root first."""
        parents: dict[int, list[int]] = {}
        for number, children in enumerate(self._children):
            for child in children.values():
                parents.setdefault(child, []).append(number)
        pending, leading = [*self._names, *self._slots], {0}
        for number in pending:
            if number not in leading:
                leading.add(number)
                pending += parents.get(number, [])
        places = {number: place for place, number in enumerate(sorted(leading))}
        return [self._node(number, places) for number in places]

    def _node(self, number: int, places: Mapping[int, int]) -> Node:
        children = self._children[number].items()
        node: Node = {"children": {k: places[n] for k, n in children if n in places}}
        if number in self._names:
            node["variable"] = self._names[number]
        if slots := self._slots.get(number):
            node["slots"] = [[places[p], name, places[s]] for p, name, s in slots]
        return node

    def names_in(self, nodes: Sequence[Node]) -> dict[str, str]:
        """Return the stored names of variables, by their names here.

        An object here is the stored one that the same attributes lead to.
        """
        pairs = {(0, 0): None} if nodes else {}
        pending, names = list(pairs), {}
        for number, stored in pending:
            if number in self._names and "variable" in nodes[stored]:
                names[self._names[number]] = nodes[stored]["variable"]
            there = nodes[stored]["children"]
            for name, child in self._children[number].items():
                pair = (child, there.get(name))
                if pair[1] is not None and pair not in pairs:
                    pairs[pair] = None
                    pending.append(pair)
        for number, stored in pending:
            slots = {(p, n): s for p, n, s in nodes[stored].get("slots", ())}
            for primary, name, slot in self._slots.get(number, ()):
                for (known, other), at in slots.items():
                    if other == name and (primary, known) in pairs:
                        names[self._names[slot]] = nodes[at]["variable"]
        return names


def checked_nodes(listed: Any) -> list[Node]:
    """Return the objects of an index; ValueError if they are damaged."""
    if not isinstance(listed, list):
        raise ValueError(f"{listed!r:.80} is no list of objects")
    count = len(listed)

    def is_number(value: Any) -> bool:
        return type(value) is int and 0 <= value < count

    for node in listed:
        whole = isinstance(node, dict) and isinstance(node.get("children"), dict)
        if not whole or not all(map(is_number, node["children"].values())):
            raise ValueError(f"{node!r:.80} is no object of {count}")
        if not isinstance(node.get("variable", ""), str):
            raise ValueError(f"{node!r:.80} has no name of a variable")
        for primary, name, slot in node.get("slots", ()):
            if not (is_number(primary) and is_number(slot) and isinstance(name, str)):
                raise ValueError(f"{node!r:.80} has a slot of no object")
            if "variable" not in listed[slot]:
                raise ValueError(f"{node!r:.80} has a slot that is no variable")
    return listed


def _variable_of(value: Any) -> Variable | None:
    """Return a variable, or the one that a variable of Keras wraps; else None."""
    if hasattr(type(value), "_serialize_to_tensors"):
        value = getattr(value, "_value", None)
    return value if isinstance(value, Variable) else None


def _own_members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the members, without the variables of a model that an optimizer trains.

    An optimizer has them only once it was built: their path must not depend on that.
    """
    trains = hasattr(type(value), "apply_gradients")
    for name, child in members(value):
        if not (trains and name == "_trainable_variables"):
            yield name, child


def _all_members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the members, and containers that only tpuref looks into."""
    yield from members(value)
    if isinstance(value, AutoTrackable):
        yield from value._untracked_containers().items()


def members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the names and values of attributes and items."""
    listed = getattr(type(value), "_trackable_children", None)
    if listed is not None:
        yield from listed(value).items()
    elif isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, (list, tuple)):
        yield from enumerate(value)
    elif _is_object_of_the_program(value):
        yield from vars(value).items()


def _is_object_of_the_program(value: Any) -> bool:
    if isinstance(value, (type, ModuleType, FunctionType)):
        return False
    package = type(value).__module__.partition(".")[0]
    return package not in ("builtins", "tpuref", "numpy") and hasattr(value, "__dict__")
