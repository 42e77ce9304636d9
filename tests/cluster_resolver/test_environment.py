"""`TFConfigClusterResolver`, as TensorFlow's own tests of it expect."""

import json

import pytest

import tpuref as tf

CLUSTER = {"ps": ["a:1", "b:2"], "worker": {"1": "c:3", "4": "d:4"}}


@pytest.fixture
def configured(monkeypatch):
    def configure(**described):
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": CLUSTER, **described}))
        return tf.distribute.cluster_resolver.TFConfigClusterResolver()

    return configure


def test_the_master_has_a_layer_only_if_one_is_named(configured):
    task = {"type": "ps", "index": 1}
    assert configured(task=task).master() == "b:2"
    assert configured(task=task).master("worker", 4) == "d:4"
    assert configured(task=task).master(rpc_layer="grpc") == "grpc://b:2"
    assert configured(task=task, rpc_layer="grpc").master() == "grpc://b:2"


def test_a_single_task_is_this_process(configured):
    """As releases 2.4.4 and 2.21 answer, whatever is asked for."""
    alone = configured(cluster={"worker": ["a:1"]}, task={"type": "worker", "index": 0})
    assert alone.master() == alone.master("worker", 0, "grpc") == ""
    assert alone.cluster_spec().as_dict() == {"worker": ["a:1"]}
    two = {"worker": ["a:1"], "ps": ["b:2"]}
    assert configured(cluster=two, task={"type": "ps", "index": 0}).master() == "b:2"


def test_one_of_several_tasks_must_be_named(configured):
    for task in ({}, {"type": "worker"}, {"index": 1}):
        with pytest.raises(ValueError, match="several tasks.*TPUREF-E"):
            configured(task=task).master()
    assert configured().master("worker", 4) == "d:4"


def test_the_session_master_is_instead_of_a_task(configured):
    resolver = configured(session_master="s:9", task={"type": "ps", "index": 0})
    assert resolver.master() == "s:9"
    assert resolver.master(rpc_layer="grpc") == "s:9"


def test_tasks_have_the_numbers_of_the_text(configured):
    cluster = configured().cluster_spec()
    assert cluster.task_indices("worker") == [1, 4]
    assert cluster.task_address("worker", 4) == "d:4"


def test_a_task_type_is_text(configured):
    assert configured(task={"type": 12, "index": "1"}).task_type == "12"
    assert configured(task={}).task_type is None
