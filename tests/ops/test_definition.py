"""The record of an operation: what can be asked of it, and how it is checked."""

import dataclasses
import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.ops.attribute import check_for
from tpuref.engine.ops.definition import (
    Batching,
    ControlFlow,
    Effects,
    OpDef,
    Place,
    Traits,
)
from tpuref.engine.ops.derivatives.rules import RULES as GRADIENTS
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
def test_types_of_attributes(hint, fitting, others):
    accepts = check_for(hint)
    assert [v for v in fitting if not accepts(v)] == []
    assert [v for v in others if accepts(v)] == []


def test_every_attribute_has_a_type_that_is_checked():
    for definition in DEFINITIONS:
        for attribute in definition.attributes.values():
            assert attribute.type is not Any, (definition.name, attribute.name)


def test_attributes_left_out_have_their_defaults():
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
def test_attributes_that_do_not_fit(attrs, message):
    with pytest.raises(TypeError, match=message):
        REGISTRY["ConcatV2"].check(attrs)


def test_a_graph_refuses_an_attribute_with_the_line_that_built_it():
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
def test_how_many_inputs(name, fitting, others):
    for count in fitting:
        REGISTRY[name].check_inputs(count)
    for count in others:
        with pytest.raises(TypeError, match=f"it has {count} inputs, expected"):
            REGISTRY[name].check_inputs(count)


def test_one_record_says_one_thing():
    with pytest.raises(ValueError, match="give one of them"):
        OpDef("Both", infer=lambda x: x, compute=np.add, effects=Effects(np.add))


def names_where(condition):
    return {d.name for d in DEFINITIONS if condition(d)}


def test_what_has_an_effect_may_be_neither_folded_nor_repeated():
    stateful = names_where(lambda d: d.stateful)
    assert {"Assign", "PyFunc", "Print", "Assert", "RandomUniform"} <= stateful
    assert not stateful & {"AddV2", "If", "Placeholder"}


def test_what_needs_the_client_runs_on_the_host():
    assert all(d.place is not Place.ANYWHERE for d in DEFINITIONS if d.effects.client)


def test_a_record_names_the_module_of_its_gradient():
    for module, rules in GRADIENTS.items():
        assert names_where(lambda d, m=module: d.gradient == m) == set(rules)


def test_a_record_names_the_module_of_its_xla_rule():
    pytest.importorskip("jax", reason="needs the extra: pip install tpuref[xla]")
    folder = importlib.import_module("tpuref.engine.runtime.xla.rules")
    found = {}
    for module in pkgutil.iter_modules(folder.__path__):
        if module.name != "registry":
            has = importlib.import_module(f"{folder.__name__}.{module.name}")
            tables = [getattr(has, n, {}) for n in ("RULES", "CHECKS", "LOWERINGS")]
            found[module.name] = {name for table in tables for name in table}
    for module, names in found.items():
        assert names_where(lambda d, m=module: d.xla == m) == names
    assert {d.xla for d in DEFINITIONS} == {*found, None}
    registry = importlib.import_module(f"{folder.__name__}.registry")
    tables = (registry.RULES, registry.CHECKS, registry.LOWERINGS)
    assert {name for table in tables for name in table} == names_where(lambda d: d.xla)


def test_only_reads_and_computations_may_be_left_out():
    acting = names_where(lambda d: d.acts)
    assert {"Assign", "PyFunc", "Print", "Assert", "CrossReplicaSum"} <= acting
    assert not acting & {"AddV2", "ReadVariableOp", "IsVariableInitialized", "If"}


def test_records_do_not_grow():
    records = (OpDef, Effects, Batching, ControlFlow, Traits)
    assert [len(dataclasses.fields(record)) <= 14 for record in records] == [True] * 5
