"""What models under a strategy cannot train on is told with what to write."""

import importlib.util

import pytest

from .test_networks import run

pytest.importorskip("keras", reason="the extra keras is not installed")


@pytest.fixture(scope="module", params=["lockstep", "pool", "xla"])
def executor(request):
    if request.param == "xla" and importlib.util.find_spec("jax") is None:
        pytest.skip("the extra xla is not installed")
    return request.param


@pytest.fixture(scope="module")
def found(executor):
    return run("TPU", program="wrong_inputs.py", executor=executor)


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
    assert found["host operation"] == found["host operation again"] == "trains"
    (warning,) = found["warnings"]
    assert "/on_host_1/PyFunc' calls a function of the host" in warning
    assert "with Dataset.map [TPUREF-E278]" in warning
    assert "in call: doubled = tf.numpy_function(" in warning


@pytest.mark.parametrize(
    ("case", "cause", "setting"),
    [
        ("compiled", "has jit_compile=True", "jit_compile=False"),
        ("no soft placement", "placement is off", "set_soft_device_placement(True)"),
    ],
)
def test_operations_of_the_host_are_not_compiled(found, case, cause, setting):
    """TensorFlow 2.21 refuses both: XLA has no PyFunc."""
    text = found[case]
    assert text.startswith("InvalidArgumentError") and "[TPUREF-E278]" in text
    assert cause in text and "with Dataset.map" in text and setting in text
    assert "/on_host_1/PyFunc\n  built at: " in text
    assert "in call: doubled = tf.numpy_function(" in text


def test_other_shapes_name_the_layer_and_the_line(found, executor):
    text = found["other shapes"]
    assert "/positive_1/Where" in text and "return tf.boolean_mask" in text
    if executor == "xla":
        assert "the executors 'pool' and 'lockstep' can" in text
    else:
        assert "operation: compile_loss/mse/" in text
        assert "wrong_inputs.py:" in text and "model.fit(*data" in text
        assert "mask values instead of selecting them" in text
