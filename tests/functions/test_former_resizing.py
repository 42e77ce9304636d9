"""Images of other sizes, as TensorFlow 1.15.5 resizes them."""

import numpy as np
import pytest

import tpuref.compat.v1 as tf

from .values import run

COLUMN = np.array([1, 5, 2, 8], "f").reshape(1, 4, 1, 1)
RESIZED = {
    ("bilinear", False, 3): [1.0, 4.0, 6.0],
    ("bilinear", False, 7): [1.0, 3.2857, 4.5714, 2.8571, 3.7143, 7.1429, 8.0],
    ("bilinear", True, 3): [1.0, 3.5, 8.0],
    ("bilinear", True, 7): [1.0, 3.0, 5.0, 3.5, 2.0, 5.0, 8.0],
    ("nearest_neighbor", False, 3): [1.0, 5.0, 2.0],
    ("nearest_neighbor", False, 7): [1.0, 1.0, 5.0, 5.0, 2.0, 2.0, 8.0],
    ("nearest_neighbor", True, 3): [1.0, 2.0, 8.0],
    ("nearest_neighbor", True, 7): [1.0, 5.0, 5.0, 2.0, 2.0, 8.0, 8.0],
    ("bicubic", False, 3): [1.0, 4.1682, 5.9468],
    ("bicubic", False, 7): [1.0, 3.6349, 4.8738, 2.312, 3.2577, 7.2364, 8.6296],
    ("bicubic", True, 3): [1.0, 3.3125, 8.0],
    ("bicubic", True, 7): [1.0, 3.2812, 5.0, 3.3125, 2.0, 4.7188, 8.0],
    ("area", False, 3): [2.0, 3.5, 6.5],
    ("area", False, 7): [1.0, 2.0, 5.0, 3.5, 2.0, 6.5, 8.0],
    ("area", True, 3): [2.3333, 3.0, 8.0],
    ("area", True, 7): [1.0, 1.0, 5.0, 5.0, 2.0, 2.0, 8.0],
}  # fmt: skip


@pytest.mark.parametrize("case", RESIZED, ids=str)
@pytest.mark.parametrize("axis", [1, 2])
def test_pixels_are_those_of_1_15(case, axis):
    method, align, length = case
    resize = getattr(tf.image, f"resize_{method}")
    image, size = (COLUMN, [length, 1]) if axis == 1 else (COLUMN.T, [1, length])
    found = run(resize(image, size, align_corners=align))
    np.testing.assert_allclose(found.ravel(), RESIZED[case], atol=6e-5)


def test_methods_have_numbers_and_names():
    column = COLUMN[0]
    for number, name in enumerate(["bilinear", "nearest_neighbor", "bicubic", "area"]):
        wanted = RESIZED[name, False, 7]
        for method in (number, name.partition("_")[0]):
            found = run(tf.image.resize_images(column, [7, 1], method))
            assert found.shape == (7, 1, 1)
            np.testing.assert_allclose(found.ravel(), wanted, atol=6e-5)
    assert tf.image.ResizeMethod.AREA == 3
    with pytest.raises(ValueError, match="expected a member of tf.image.ResizeMethod"):
        tf.image.resize_images(column, [7, 1], "cubic")


def test_images_of_that_size_are_left_alone():
    image = tf.constant(np.ones([4, 5, 2], np.uint8))
    assert tf.image.resize_images(image, [4, 5]).dtype == tf.uint8
    assert tf.image.resize_images(image, [4, 6]).dtype == tf.float32
    assert tf.image.resize_images(image, [4, 6], 1).dtype == tf.uint8


def test_shapes_are_kept_and_known():
    image = tf.placeholder(tf.float32, [None, 6, 3, 1])
    found = tf.image.resize_images(image, [8, 8], preserve_aspect_ratio=True)
    assert run(found, {image: np.ones([2, 6, 3, 1])}).shape == (2, 8, 4, 1)
    padded = tf.image.resize_image_with_pad(image, 12, 12, 1)
    assert padded.shape.as_list() == [None, 12, 12, 1]
    values = run(padded, {image: np.ones([2, 6, 3, 1])})
    assert values[:, :, 3:9].all()
    assert not values[:, :, :3].any()


def test_centres_of_pixels_may_be_asked_for():
    found = tf.image.resize_bilinear(COLUMN, [7, 1], half_pixel_centers=True)
    wanted = tf.compat.v2.image.resize(COLUMN, [7, 1])
    np.testing.assert_array_equal(*run([found, wanted]))
