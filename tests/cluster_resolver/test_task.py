"""The task that a resolver stands for: task_type, task_id and rpc_layer, read and set.

As the releases 2.2 to 2.21 were measured: `task_id` chooses the task that ``master()``
leads to, `task_type` renames the TPUs' job.
"""

import numpy as np
import pytest
from tpuref_conformance.suite.cloud_stand_ins import node

from .api_object import DISTRIBUTE, answered

FOUR = node("10.2.3.0:8470", "10.2.3.1:8471", "10.2.3.2:8472", "10.2.3.3:8473")


@pytest.fixture
def made():
    return answered(FOUR)


def test_what_it_is_at_first(made):
    assert (made.task_type, made.task_id, made.rpc_layer) == ("worker", 0, "grpc")
    assert answered(FOUR, job_name="tpu").task_type == "tpu"


def test_a_task_that_is_set_is_the_master(made):
    made.task_id = np.int64(3)
    assert made.task_id == 3
    assert made.master() == made.get_master() == "grpc://10.2.3.3:8473"
    assert made.master(task_id=1) == "grpc://10.2.3.1:8471"
    made.task_id = None
    assert made.master() == "grpc://10.2.3.0:8470"


def test_a_task_that_there_is_not(made):
    made.task_id = 4
    with pytest.raises(ValueError, match=r"no task 4; its tasks are \[0, 1, 2, 3\]"):
        made.master()


def test_a_job_that_is_set_is_the_tpus(made):
    made.task_type = b"tpu"
    assert made.task_type == made.get_job_name() == "tpu"
    assert list(made.cluster_spec().as_dict()) == ["tpu"]
    assert made.master() == "grpc://10.2.3.0:8470"
    with pytest.raises(ValueError, match="no job 'worker'"):
        made.master(task_type="worker")


def test_a_protocol_that_is_set_is_the_prefix(made):
    made.rpc_layer = "grpc+loas"
    assert made.master() == "grpc+loas://10.2.3.0:8470"
    assert made.master(rpc_layer="x") == "x://10.2.3.0:8470"
    made.rpc_layer = None
    assert (made.rpc_layer, made.master()) == ("grpc", "grpc://10.2.3.0:8470")


def test_a_coordinator_keeps_its_name():
    made = answered(FOUR, coordinator_name="c", coordinator_address="a:1")
    assert made.master("c") == "grpc://a:1"
    made.task_id = 2
    assert made.master() == "grpc://10.2.3.2:8472"
    with pytest.raises(ValueError, match="coordinator_name and job_name are both 'c'"):
        made.task_type = "c"
    assert made.task_type == "worker"


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("task_id", "3", TypeError),
        ("task_id", 1.0, TypeError),
        ("task_id", float("nan"), TypeError),
        ("task_id", True, TypeError),
        ("task_id", [], TypeError),
        ("task_id", -1, ValueError),
        ("task_type", None, TypeError),
        ("task_type", 5, TypeError),
        ("task_type", b"\xff", ValueError),
        ("rpc_layer", 5, TypeError),
        ("rpc_layer", [], TypeError),
    ],
)
def test_what_cannot_be_set(name, value, kind, made):
    with pytest.raises(kind, match=f"{name}.*TPUREF-E0") as raised:
        setattr(made, name, value)
    assert type(raised.value) is kind
    assert made.master() == "grpc://10.2.3.0:8470"


@pytest.mark.parametrize(
    ("target", "layer"), [("local", None), ("", None), ("grpc://h:1", "grpc")]
)
def test_a_master_has_one_task(target, layer):
    made = DISTRIBUTE(target)
    assert (made.task_type, made.task_id, made.rpc_layer) == ("worker", 0, layer)
    for name, value in (("task_id", None), ("task_id", 0), ("rpc_layer", layer)):
        setattr(made, name, value)
    for name, value in (("task_id", 3), ("rpc_layer", "http")):
        with pytest.raises(ValueError, match=f"{name}.*is passed through unchanged"):
            setattr(made, name, value)
    assert made.master() == target
