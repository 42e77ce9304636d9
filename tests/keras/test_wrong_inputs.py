"""What models under a strategy cannot train on is told with what to write."""

import pytest

from .test_networks import run

pytest.importorskip("keras", reason="the extra keras is not installed")


@pytest.fixture(scope="module", params=["lockstep", "pool"])
def found(request):
    environment = {"TPUREF_EXECUTOR": request.param, "TPUREF_PROCESSES": "2"}
    return run("TPU", program="wrong_inputs.py", **environment)


def test_a_batch_has_a_multiple_of_the_replicas(found):
    text = found["uneven batch"]
    assert "A batch of 5 cannot be divided evenly among 2 replicas" in text
    assert "drop_remainder=True" in text
    assert "wrong_inputs.py:" in text and "model.fit(*data" in text
    assert "[TPUREF-E084]" in text


def test_sizes_that_only_the_run_knows(found):
    """A last batch of another size trains, as with TensorFlow."""
    assert found["open batch size"] == found["last batch uneven"] == "trains"
    assert "give the tensor a shape where you create it" in found["unknown rank"]


def test_operations_of_the_host_run_there(found):
    """As on Cloud TPUs, where soft placement is on by default."""
    assert found["host operation"] == "trains"


def test_other_shapes_name_the_layer_and_the_line(found):
    text = found["other shapes"]
    assert "operation: compile_loss/mse/" in text
    assert "wrong_inputs.py:" in text and "model.fit(*data" in text


def test_xla_names_the_layer_that_needs_open_shapes():
    pytest.importorskip("jax", reason="the extra xla is not installed")
    found = run("TPU", program="wrong_inputs.py", TPUREF_EXECUTOR="xla")
    text = found["other shapes"]
    assert "/positive_1/Where" in text and "return tf.boolean_mask" in text
    assert "the executors 'pool' and 'lockstep' can" in text
