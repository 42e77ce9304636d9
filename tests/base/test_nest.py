"""Nests: order of leaves, packing, mapping and the report of differences."""

import re
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from tpuref.base import nest
from tpuref.base.errors import StructureError
from tpuref.base.shapes import TensorShape

from ..messages import refused


class Pair(NamedTuple):
    right: Any
    left: Any


# Two types of the name "Pair", and one with the fields of Pair.
PairAgain = namedtuple("Pair", ["right", "left"])
PairOfOthers = namedtuple("Pair", ["x", "y"])
Other = namedtuple("Other", ["right", "left"])


@dataclass
class Record:
    value: int


LEAVES = [None, 1, "ab", b"ab", np.arange(3), TensorShape([1, 2]), Record(1)]
LEAVES += [range(3), {1, 2}]


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: type(leaf).__name__)
def test_leaves_are_not_taken_apart(leaf):
    assert not nest.is_nested(leaf)
    assert nest.flatten(leaf)[0] is leaf
    assert nest.flatten([leaf])[0] is leaf
    assert nest.pack_sequence_as(leaf, [7]) == 7


def test_leaves_of_mappings_come_in_key_order():
    structure = OrderedDict([("c", 1), ("a", [2, (3,)]), ("b", Pair(4, 5))])
    assert nest.flatten(structure) == [2, 3, 4, 5, 1]
    for container in ([], (), {}, Pair(1, 2), MappingProxyType({})):
        assert nest.is_nested(container)
    shared = [1, 2]
    assert nest.flatten([shared, {"a": shared}, shared]) == [1, 2] * 3
    assert nest.map_structure(abs, [shared, shared]) == [shared, shared]
    with pytest.raises(TypeError, match=r"must be sortable.*\[1, 'a'\]"):
        nest.flatten([{1: 0, "a": 0}])


def test_paths():
    assert nest.flatten_with_paths([0, {"b": Pair(1, [2]), "a": 3}]) == [
        ("[0]", 0),
        ("[1]['a']", 3),
        ("[1]['b'].right", 1),
        ("[1]['b'].left[0]", 2),
    ]
    assert nest.flatten_with_paths(5) == [("", 5)]


STRUCTURES = [
    7,
    [],
    (1, [2, ()], {}),
    {"b": 1, "a": [2, 3]},
    OrderedDict([("b", 1), ("a", 2)]),
    defaultdict(int, b=1, a=2),
    MappingProxyType({"b": 1, "a": 2}),
    [Pair(1, {"x": (2,)}), (Pair(3, 4),)],
]


@pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
def test_packing_undoes_flattening(structure):
    packed = nest.pack_sequence_as(structure, nest.flatten(structure))
    assert packed == structure
    assert type(packed) is type(structure)


def test_packing_keeps_kinds_and_key_order():
    structure = {
        "b": OrderedDict([("z", 0), ("y", 0)]),
        "a": defaultdict(int, x=0),
        "c": Pair(0, (0,)),
    }
    packed = nest.pack_sequence_as(structure, [1, 2, 3, 4, 5])
    assert list(packed) == ["b", "a", "c"]
    assert packed["b"] == OrderedDict([("z", 3), ("y", 2)])
    assert packed["a"] == {"x": 1}
    assert packed["a"]["missing"] == 0
    assert packed["c"] == Pair(4, (5,))
    assert type(packed["c"]) is Pair


def test_packing_needs_the_right_number_of_leaves():
    for count in (1, 3):
        with pytest.raises(ValueError, match=f"2 leaves, flat_sequence has {count}"):
            nest.pack_sequence_as([0, (0,)], [1] * count)
    with pytest.raises(TypeError, match=r"flat_sequence .* got generator"):
        nest.pack_sequence_as([0], (x for x in [1]))


def test_mapping_over_leaves():
    a, b = {"b": 2, "a": (3,)}, {"a": (5,), "b": 7}
    result = nest.map_structure(lambda x, y: x * y, a, b)
    assert result == {"b": 14, "a": (15,)}
    assert list(result) == ["b", "a"]
    assert nest.map_structure(lambda x: x + 1, 1) == 2
    seen = []
    nest.map_structure(seen.append, {"b": 1, "a": 2})
    assert seen == [2, 1]
    with pytest.raises(ValueError, match="at least one"):
        nest.map_structure(len)
    with pytest.raises(TypeError, match="callable"):
        nest.map_structure([1], len)


def test_mapping_over_different_structures():
    with pytest.raises(StructureError, match=r"structures\[2\]\[0\] is a leaf"):
        nest.map_structure(max, [[1]], [[2]], [3])
    with pytest.raises(StructureError):
        nest.map_structure(max, [1], (2,))
    assert nest.map_structure(max, [1], (2,), check_types=False) == [2]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, "x"),
        (1, np.arange(3)),
        ([1, (2,)], [None, ("x",)]),
        ({"a": 1, "b": 2}, OrderedDict([("b", 3), ("a", 4)])),
        (Pair(1, 2), Pair(3, 4)),
        (Pair(1, 2), PairAgain(3, 4)),
    ],
    ids=repr,
)
def test_same_structures(a, b):
    nest.assert_same_structure(a, b)
    nest.assert_same_structure(b, a)


DIFFERENT = [
    (1, [1], "a is a leaf of type int, b is a list of length 1"),
    ([1, 2], [1], "a is a list of length 2, b is a list of length 1"),
    ([0, {"a": 1}], [0, {"a": [1]}], "b[1]['a'] is a list of length 1"),
    ([0, {"a": 1}], [0, {"b": 1}], "b[1] is a dict with the keys ['b']"),
    ({"a": 1}, {"a": 1, "b": 2}, "b is a dict with the keys ['a', 'b']"),
    ({"a": 1}, [1], "b is a list of length 1"),
    (Pair(0, [1]), Pair(0, 1), "a.left is a list of length 1, b.left is a leaf"),
    ([[1], 2], [[1], [2], 3], "a is a list of length 2, b is a list of length 3"),
]


@pytest.mark.parametrize("check_types", [True, False])
@pytest.mark.parametrize(("a", "b", "message"), DIFFERENT)
def test_first_difference_is_reported(a, b, message, check_types):
    with pytest.raises(StructureError, match=re.escape(message)):
        nest.assert_same_structure(a, b, check_types)
    with pytest.raises(StructureError):
        nest.assert_same_structure(b, a, check_types)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([[1, 2]], [(1, 2)]),
        ([(1, 2)], [Pair(1, 2)]),
        ([Pair(1, 2)], [Other(1, 2)]),
        ([Pair(1, 2)], [PairOfOthers(1, 2)]),
    ],
    ids=repr,
)
def test_container_types_matter_when_checked(a, b):
    with pytest.raises(StructureError, match=r"a\[0\] is a .*, b\[0\] is a "):
        nest.assert_same_structure(a, b)
    nest.assert_same_structure(a, b, check_types=False)


def test_the_names_of_the_nests_are_used():
    a, b = [0, {"a": 1}], [0, {"a": ()}]
    words = ["inputs[1]['a'] is a leaf of type int"]
    words.append("outputs[1]['a'] is a tuple of length 0")
    check, names = nest.assert_same_structure, {"a_name": "inputs", "b_name": "outputs"}
    refused(StructureError, words, check, a, b, **names)


def deep(leaf, depth):
    for level in range(depth):
        leaf = [leaf, {"b": leaf}][level % 2] if level % 2 else (leaf, 0)
    return leaf


def test_depth_is_no_limit():
    structure = deep(1, 5000)
    assert nest.flatten(structure) == [1, *[0] * 2500]
    assert len(nest.flatten_with_paths(structure)[0][0]) > 5000
    doubled = nest.map_structure(lambda x, y: x + y, structure, structure)
    assert nest.flatten(doubled) == [2, *[0] * 2500]
    with pytest.raises(StructureError, match="a leaf of type int"):
        nest.assert_same_structure(deep(1, 3000), deep([1], 3000))


@pytest.mark.parametrize("kind", [list, dict])
def test_what_contains_itself_is_refused(kind):
    structure = [1] if kind is list else {"a": 1}
    inner = (structure, 2)
    structure.append(inner) if kind is list else structure.update(b=inner)
    for call in (
        lambda: nest.flatten(structure),
        lambda: nest.flatten_with_paths([structure]),
        lambda: nest.map_structure(abs, structure),
        lambda: nest.pack_sequence_as(structure, [1, 2]),
        lambda: nest.assert_same_structure(structure, structure),
    ):
        with pytest.raises(ValueError, match=f"a {kind.__name__} contains itself"):
            call()
