"""The record of an operation: what can be asked of it, and how it is checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.ops.attribute import check_for
from tpuref.engine.ops.definition import OpDef, Place
from tpuref.engine.ops.registry import REGISTRY

DEFINITIONS = [REGISTRY[name] for name in REGISTRY.names()]


@pytest.mark.parametrize(
    ("hint", "fitting", "others"),
    [
        (int, [0, np.int64(3), 2**70], [True, 1.5, "1", None]),
        (float, [0.5, 2, np.float32(1)], [True, "x", None]),
        (bool, [True, np.bool_(False)], [0, None]),
        (str, ["", "SAME"], [b"SAME", None]),
        (int | None, [3, None], ["3", 1.0]),
        (tuple[int, ...], [(), (1, 2)], [[1], (1, "2"), 1]),
        (tuple[int, int], [(1, 2)], [(1,), (1, 2, 3)]),
        (tuple[tuple[int | None, ...] | None, ...], [((1, None), None)], [(1,), None]),
        (Any, [object(), None], []),
    ],
)
def test_types_of_attributes(hint: Any, fitting: list[Any], others: list[Any]) -> None:
    accepts = check_for(hint)
    assert [v for v in fitting if not accepts(v)] == []
    assert [v for v in others if accepts(v)] == []


def test_every_attribute_has_a_type_that_is_checked() -> None:
    for definition in DEFINITIONS:
        for attribute in definition.attributes.values():
            assert attribute.type is not Any, (definition.name, attribute.name)


def test_attributes_left_out_have_their_defaults() -> None:
    assert REGISTRY["MatMul"].check({"transpose_b": True}) == {
        "transpose_a": False,
        "transpose_b": True,
        "adjoint_a": False,
        "adjoint_b": False,
    }


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({}, "attribute 'axis' is missing"),
        ({"axis": 0, "axes": 1}, "no attribute 'axes'"),
        ({"axis": 0.5}, "'axis' must be of type int, got float 0.5"),
        ({"axis": None}, "'axis' must be of type int, got NoneType None"),
    ],
)
def test_attributes_that_do_not_fit(attrs: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        REGISTRY["ConcatV2"].check(attrs)


def test_a_graph_refuses_an_attribute_with_the_line_that_built_it() -> None:
    from tpuref.engine.graph.build import apply

    with pytest.raises(TypeError, match=r"(?s)Softmax: the attribute.*test_definition"):
        apply("Softmax", tf.constant([1.0]), axis="last")


@pytest.mark.parametrize(
    ("name", "fitting", "others"),
    [
        ("Const", [0], [1]),
        ("AddV2", [2], [1, 3]),
        ("If", [1, 5], [0]),
        ("AddN", [0, 1, 9], []),
        ("PyFunc", [0, 4], []),
    ],
)
def test_how_many_inputs(name: str, fitting: list[int], others: list[int]) -> None:
    for count in fitting:
        REGISTRY[name].check_inputs(count)
    for count in others:
        with pytest.raises(TypeError, match=f"it has {count} inputs, expected"):
            REGISTRY[name].check_inputs(count)


def test_one_record_says_one_thing() -> None:
    with pytest.raises(ValueError, match="give one of them"):
        OpDef("Both", infer=lambda x: x, compute=np.add, effect=np.add)


def names_where(condition: Any) -> set[str]:
    return {d.name for d in DEFINITIONS if condition(d)}


def test_what_cannot_be_computed_is_known_to_the_interpreters() -> None:
    assert names_where(
        lambda d: not (d.compute or d.collective or d.effect or d.fed)
    ) == {"If", "While", "TowerCopy"}


def test_variables_queues_and_collectives() -> None:
    assert names_where(lambda d: d.writes) == {"Assign", "AssignAdd", "AssignSub"}
    assert names_where(lambda d: d.reads and d.writes) == {"AssignAdd", "AssignSub"}
    assert names_where(lambda d: d.fills) == {
        *("InfeedEnqueueTuple", "InfeedClose", "CoreInfeedEnqueue", "OutfeedEnqueue")
    }
    assert names_where(lambda d: d.drains) == {
        *("InfeedDequeueTuple", "FeedDequeue", "CoreInfeedDequeue", "OutfeedDequeue")
    }
    assert names_where(lambda d: d.collective) == {"CrossReplicaSum"}
    for definition in DEFINITIONS:
        for name in (
            definition.reads,
            definition.writes,
            definition.fills,
            definition.drains,
        ):
            assert name is None or name in definition.attributes, definition.name


def test_what_is_ordered_may_be_neither_folded_nor_repeated() -> None:
    ordered = names_where(lambda d: d.ordered)
    assert ordered - names_where(lambda d: d.stateful) == {"CrossReplicaSum"}
    assert {"Assign", "PyFunc", "Print", "Assert", "TPUReplicate"} <= ordered
    assert not ordered & {"AddV2", "ReplicaId", "RandomUniform", "If", "Placeholder"}


def test_what_needs_the_client_runs_on_the_host() -> None:
    assert all(d.place is not Place.ANYWHERE for d in DEFINITIONS if d.client)


def test_every_core_follows_branches_and_writes() -> None:
    assert names_where(lambda d: d.on_every_core) == {
        "If",
        "While",
        "TPUReplicate",
        "Assign",
        "AssignAdd",
        "AssignSub",
    }
