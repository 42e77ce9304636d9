"""Functions whose values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import tpuref as tf

v2 = tf.compat.v2


pytestmark = pytest.mark.usefixtures("eager")


def values(tensor):
    return np.asarray(tensor).tolist()


def test_diagonals_beside_the_main_one():
    diag, part = tf.linalg.diag, tf.linalg.diag_part
    assert values(diag([1, 2], k=1)) == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    padded = [[[7, 7, 7, 7], [7, 7, 7, 7], [1, 7, 7, 7], [7, 2, 7, 7]]]
    assert values(diag([[1, 2]], k=-2, padding_value=7)) == padded
    assert values(diag([1, 2], num_rows=3)) == [[1, 0], [0, 2], [0, 0]]
    matrix = [[1, 2, 3], [4, 5, 6]]
    assert [values(part(matrix, k=k)) for k in (1, -1)] == [[2, 6], [4]]


def test_angle_of_negative_numbers_is_pi():
    found = v2.math.angle([-1.0, 0.0, 2.0, np.nan])
    np.testing.assert_allclose(found, [np.pi, 0, 0, 0])


def test_sobel_edges():
    x = np.arange(24, dtype=np.float32).reshape(1, 3, 4, 2) ** 2
    assert values(tf.image.sobel_edges(x)[0, 1]) == [
        [[1152, 0], [1280, 0]],
        [[1280, 320], [1408, 352]],
        [[1536, 384], [1664, 416]],
        [[1664, 0], [1792, 0]],
    ]


def test_numerics_are_checked():
    assert values(tf.debugging.check_numerics([1.0], "loss")) == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the loss : Tensor had"):
        tf.debugging.check_numerics([1.0, np.nan], "the loss")


def test_known_tensors_in_a_list_are_cast():
    two, three = tf.constant(2), tf.constant(3.0)
    assert values(tf.convert_to_tensor((two, three), tf.float32)) == [2.0, 3.0]
    assert values(tf.convert_to_tensor((two, three), tf.int32)) == [2, 3]
    with pytest.raises(ValueError, match="expected dtype int32, got"):
        tf.convert_to_tensor((two, three))
    assert tf.reshape(tf.ones(6), (three, two)).shape == [3, 2]
    assert values(tf.zeros(tf.constant(2))) == [0, 0]


def test_axes_and_types_are_tensors_and_specs():
    axes = tf.constant([[1], [0]])
    assert values(tf.tensordot(tf.ones([2, 3]), tf.ones([3]), axes)) == [3, 3]
    spec = tf.TensorSpec([], tf.float64)
    halves = tf.map_fn(lambda x: x / 2, tf.constant([2, 4]), fn_output_signature=spec)
    assert values(tf.cast(halves, tf.int32)) == [1, 2]
    assert values(v2.math.in_top_k([1], np.array([[0.1, 0.2]]), 1)) == [True]


def test_cross_products_and_no_numbers():
    a, b = [[1, 2, 3], [4, 5, 6]], [[7, 8, 10], [1, 0, 1]]
    assert values(tf.linalg.cross(a, b)) == [[-4, 11, -6], [5, 2, -5]]
    with pytest.raises(ValueError, match="the last axis has 3 numbers"):
        tf.linalg.cross([1, 2], [3, 4])
    assert v2.linspace([0.0, 1.0], [1.0, 2.0], 0, axis=1).shape == [2, 0]


def test_bincount_truncates():
    found = v2.math.bincount([[1.7, 0.2], [2.0, 2.0]], axis=-1)
    assert values(found) == [[1, 1, 0], [0, 0, 2]]


def test_strides_and_dilations():
    x, filters = tf.ones([1, 8, 8, 8, 2]), tf.ones([2, 2, 2, 2, 1])
    with pytest.raises(ValueError, match="exclude dilations above 1"):
        v2.nn.convolution(x, filters, strides=2, dilations=2)
    assert v2.nn.conv3d(
        x, filters, [1, 2, 2, 2, 1], "VALID", dilations=[1, 2, 2, 2, 1]
    ).shape == [1, 3, 3, 3, 1]
    with pytest.raises(ValueError, match="images have 3 channels"):
        tf.image.rgb_to_hsv(tf.ones([2, 2, 4]))
