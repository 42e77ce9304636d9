"""The names and signatures of document 001; each case bears its statement's number."""

from __future__ import annotations

import inspect

import pytest

import tpuref as tf

TPUStrategy = tf.contrib.distribute.TPUStrategy
POSITIONAL = inspect.Parameter.VAR_POSITIONAL
KEYWORD = inspect.Parameter.VAR_KEYWORD


def test_001_002_class_and_parent():
    assert inspect.isclass(TPUStrategy)
    assert issubclass(TPUStrategy, tf.contrib.distribute.OneDeviceStrategy)


def test_003_004_005_constructor(resolver):
    parameters = inspect.signature(TPUStrategy.__init__).parameters
    assert list(parameters)[1:] == [
        "tpu_cluster_resolver",
        "steps_per_run",
        "num_cores",
    ]
    assert parameters["num_cores"].default is None
    with pytest.raises(TypeError):
        TPUStrategy()
    with pytest.raises(TypeError):
        TPUStrategy(resolver)


@pytest.mark.parametrize(
    ("clause", "method", "names"),
    [
        ("036", "batch_reduce", ["aggregation", "value_destination_pairs"]),
        ("041", "broadcast", ["tensor", "destinations"]),
        ("061", "colocate_vars_with", ["colocate_with_variable"]),
        (
            "067",
            "configure",
            ["session_config", "cluster_spec", "task_type", "task_id"],
        ),
        ("069", "distribute_dataset", ["dataset_fn"]),
        ("075", "finalize", []),
        ("079", "initialize", []),
        ("083", "get_host_cpu_device", ["host_id"]),
        ("085", "group", ["value", "name"]),
        ("089", "non_slot_devices", ["var_list"]),
        ("094", "read_var", ["tower_local_var"]),
        ("096", "reduce", ["aggregation", "value", "destinations"]),
        (
            "109",
            "run_steps_on_dataset",
            ["fn", "iterator", "iterations", "initial_loop_values"],
        ),
        ("124", "scope", []),
        ("129", "unwrap", ["value"]),
        ("145", "value_container", ["value"]),
    ],
)
def test_parameters(clause, method, names):
    assert list(inspect.signature(getattr(TPUStrategy, method)).parameters)[1:] == names


@pytest.mark.parametrize(
    ("clause", "method", "names"),
    [
        ("047", "call_for_each_tower", ["fn"]),
        ("087", "map", ["map_over", "fn"]),
        ("133", "update", ["var", "fn"]),
        ("141", "update_non_slot", ["colocate_with", "fn"]),
    ],
)
def test_open_ended_parameters(clause, method, names):
    parameters = inspect.signature(getattr(TPUStrategy, method)).parameters
    *fixed, args, kwargs = list(parameters.values())[1:]
    assert [parameter.name for parameter in fixed] == names
    assert (args.kind, kwargs.kind) == (POSITIONAL, KEYWORD)


@pytest.mark.parametrize(
    ("clause", "method", "defaults"),
    [
        ("036", "batch_reduce", {}),
        ("041", "broadcast", {"destinations": None}),
        (
            "067",
            "configure",
            dict.fromkeys(["session_config", "cluster_spec", "task_type", "task_id"]),
        ),
        ("085", "group", {"name": None}),
        ("096", "reduce", {}),
        (
            "110, 111",
            "run_steps_on_dataset",
            {"iterations": 1, "initial_loop_values": None},
        ),
    ],
)
def test_defaults(clause, method, defaults):
    parameters = inspect.signature(getattr(TPUStrategy, method)).parameters
    empty = inspect.Parameter.empty
    assert {
        name: p.default for name, p in parameters.items() if p.default is not empty
    } == defaults


@pytest.mark.parametrize(
    ("clause", "name"),
    [
        ("031", "get_tower_context"),
        ("033", "group"),
        ("034", "colocate_with"),
        ("126", "get_distribution_strategy"),
        ("126", "has_distribution_strategy"),
        ("128", "in_cross_tower_context"),
    ],
)
def test_functions_exist(clause, name):
    assert callable(getattr(tf, name))


def test_032_aggregations():
    members = tf.VariableAggregation
    assert len({members.SUM, members.MEAN, members.ONLY_FIRST_TOWER}) == 3
    assert members.ONLY_FIRST_REPLICA is members.ONLY_FIRST_TOWER


def test_033_group_depends_on_all():
    a, b = tf.no_op(), tf.no_op()
    assert set(tf.group(a, b).control_inputs) == {a, b}
