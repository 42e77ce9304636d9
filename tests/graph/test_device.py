"""Device names, and how the scopes around an operation place it."""

import pytest

import tpuref as tf
from tpuref.engine.graph.device import DeviceName


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("/cpu:0", "/device:CPU:0"),
        ("/gpu:2", "/device:GPU:2"),
        ("cpu:0", "/device:CPU:0"),
        ("/cpu", "/device:CPU:*"),
        ("/device:tpu:1", "/device:TPU:1"),
        ("/device:TPU_REPLICATED_CORE:3", "/device:TPU_REPLICATED_CORE:3"),
        ("device:TPU_REPLICATED_CORE:0", "/device:TPU_REPLICATED_CORE:0"),
        ("/device:CPU:*", "/device:CPU:*"),
        ("/job:ps", "/job:ps"),
        (
            "/task:1/replica:2/job:tpu_worker/device:TPU_SYSTEM:0",
            "/job:tpu_worker/replica:2/task:1/device:TPU_SYSTEM:0",
        ),
    ],
)
def test_names_are_read_into_one_form(text, canonical):
    assert str(DeviceName.parse(text)) == canonical
    assert DeviceName.parse(canonical) == DeviceName.parse(text)


@pytest.mark.parametrize(
    "text", ["/job", "/job:", "/replica:x", "/task:-1", "/device:CPU", "/cpu:x", "/x y"]
)
def test_names_that_cannot_be_read(text):
    with pytest.raises(ValueError, match=r"cannot read .* expected parts like /job"):
        DeviceName.parse(text)
    with pytest.raises(ValueError, match="tf.device"), tf.device(text):
        pass


def test_the_logical_core_is_that_of_the_replicated_form_only():
    assert DeviceName.parse("/device:TPU_REPLICATED_CORE:3").logical_core == 3
    assert DeviceName.parse("/device:TPU:3").logical_core is None
    assert DeviceName.parse(tf.tpu.core(2)).logical_core == 2


def placed(*scopes):
    """Return the device of an operation built within the scopes, outermost first."""
    if not scopes:
        return tf.constant(0).device
    with tf.device(scopes[0]):
        return placed(*scopes[1:])


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        (["/job:a/task:1", "/cpu:0"], "/job:a/task:1/device:CPU:0"),
        (["/cpu:0", "/job:a"], "/job:a/device:CPU:0"),
        (["/job:a/device:GPU:1", "/cpu:0"], "/job:a/device:CPU:0"),
        (["/job:a", "/job:b"], "/job:b"),
        (["/job:a/task:1", "/task:2/gpu:0"], "/job:a/task:2/device:GPU:0"),
        (["/job:a", ""], "/job:a"),
        (["/job:a/cpu:0", None], ""),
        (["/job:a", None, "/cpu:0"], "/device:CPU:0"),
    ],
)
def test_inner_scopes_go_over_outer_ones(scopes, expected):
    assert placed(*scopes) == expected


def test_scopes_end():
    with tf.device("/cpu:0"), tf.device("/job:a"):
        pass
    assert placed() == ""
    with pytest.raises(ZeroDivisionError), tf.device("/cpu:0"):
        raise ZeroDivisionError
    assert placed() == ""


# A device function decides for each operation, seeing what the scopes within gave.


def test_a_function_is_asked_for_each_operation():
    seen: list[tuple[str, str]] = []

    def choose(operation):
        seen.append((operation.name, operation.type))
        return "/gpu:0" if operation.type == "MatMul" else "/cpu:0"

    with tf.device(choose):
        x = tf.ones([2, 2], name="x")
        y = tf.matmul(x, x, name="y")
    assert (x.device, y.device) == ("/device:CPU:0", "/device:GPU:0")
    assert ("y", "MatMul") in seen


def test_a_function_sees_what_the_scopes_within_gave_and_overrides_it():
    def to_cpu(operation):
        return "/cpu:0"

    def onto_first_job(operation):
        return f"/job:first{operation.device}"

    assert placed(onto_first_job, "/gpu:1") == "/job:first/device:GPU:1"
    assert placed("/job:outer/task:3", to_cpu) == "/job:outer/task:3/device:CPU:0"
    assert placed(to_cpu, "/gpu:1") == "/device:CPU:0"
    assert placed(lambda operation: None) == placed(to_cpu, None) == ""
    with pytest.raises(ValueError, match="cannot read 'nowhere'"):
        placed(lambda operation: "nowhere")


def test_a_core_name_is_kept_as_written(graph):
    with tf.device(tf.tpu.core(1)):
        x = tf.constant(0)
    assert x.device == "/device:TPU_REPLICATED_CORE:1"
    assert str(graph.current_device) == ""


def test_the_current_device_is_that_of_all_scopes(graph):
    with tf.device("/job:a"), tf.device(lambda operation: "/cpu:0"):
        assert str(graph.current_device) == "/job:a/device:CPU:0"


def test_colocation_takes_the_device_of_another_operation():
    with tf.device("/job:a/cpu:0"):
        x = tf.constant(0)
    with tf.device("/job:b/gpu:1"), tf.colocate_with(x):
        y = tf.constant(0)
    assert y.device == "/job:a/device:CPU:0"
