"""Operations of neural networks: precision, labels, padding, shapes that do not fit."""

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.errors import InvalidArgumentError

from .records import infer, known, run

FLOATING = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
NARROW = (np.float16, ml_dtypes.bfloat16)


@pytest.mark.parametrize("dtype", NARROW)
def test_16_bits_are_rounded_once_at_the_end(dtype):
    x = np.linspace(-4, 4, 101).astype(dtype)
    wide = x.astype(np.float32)
    for name in ("Sigmoid", "Softsign", "Elu"):
        np.testing.assert_array_equal(run(name, x), run(name, wide).astype(dtype))
    exact = run("Softmax", wide, axis=0).astype(dtype)
    np.testing.assert_array_equal(run("Softmax", x, axis=0), exact)
    assert run("L2Loss", np.ones(1000, dtype)) == np.array(500, dtype)


def same(actual, expected):
    """Compare as float64, as NumPy does not know NaN of bfloat16."""
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(*(a.astype(np.float64) for a in (actual, expected)))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(), (5,), (7, 1001), (128, 9, 16), (0, 3)])
def test_rectifiers_keep_nan_and_infinity(dtype, shape):
    draw = np.random.default_rng(3)
    x = draw.standard_normal(shape).astype(dtype)
    slope = draw.standard_normal(shape).astype(dtype)
    if x.size > 4:
        x.flat[:4], slope.flat[1:5] = [np.nan, np.inf, -np.inf, -1], np.inf
    with np.errstate(invalid="ignore"):
        expected = slope * (x > 0).astype(dtype)
    same(run("Relu", x), np.maximum(x, dtype(0)))
    for features in (x, run("Relu", x)):
        same(run("ReluGrad", slope, features), expected)
    others = slope.T, np.ascontiguousarray(x).T  # not contiguous
    same(run("ReluGrad", *others), expected.T)


LOGITS = np.array([[1.0, 2.0, -3.0], [0.0, 1000.0, 0.0]])


@pytest.mark.parametrize("label", [3, -1])
def test_a_label_has_to_be_a_class(label):
    with pytest.raises(InvalidArgumentError, match=f"label {label} is no class"):
        run("SparseSoftmaxCrossEntropyWithLogits", LOGITS, np.array([0, label]))


def test_losses_want_fitting_shapes():
    with pytest.raises(ValueError, match="one label for each row"):
        infer("SparseSoftmaxCrossEntropyWithLogits", known([2, 3]), known([3], "int32"))
    with pytest.raises(ValueError, match="equal shapes"):
        infer("SigmoidCrossEntropyWithLogits", known([2, 3]), known([3]))


def test_shapes_known_only_in_a_run_broadcast_in_sigmoid_cross_entropy():
    """As in 1.15.5, which compares only static shapes."""
    x, z = np.linspace(-2, 2, 6).reshape(2, 3), np.array([0.0, 0.5, 1.0])
    whole = run("SigmoidCrossEntropyWithLogits", x, np.stack([z, z]))
    np.testing.assert_array_equal(run("SigmoidCrossEntropyWithLogits", x, z), whole)


def test_biases_belong_to_channels():
    images = np.zeros((1, 2, 3, 4))
    last = run("BiasAdd", images, np.arange(4.0), data_format="NHWC")
    assert last[0, 1, 2].tolist() == [0, 1, 2, 3]
    second = run("BiasAdd", images, np.arange(2.0), data_format="NCHW")
    assert second[0, :, 2, 3].tolist() == [0, 1]
    wide = np.arange(2.0 * 64 * 65 * 12).reshape(2, 64, 65, 12)
    added = run("BiasAdd", wide, np.arange(12.0) ** 2, data_format="NHWC")
    np.testing.assert_array_equal(added[1, 3], wide[1, 3] + np.arange(12.0) ** 2)
    with pytest.raises(InvalidArgumentError, match="expected 4 biases, got 1"):
        run("BiasAdd", images, np.ones(1), data_format="NHWC")
    with pytest.raises(ValueError, match="each of the 4 channels"):
        infer("BiasAdd", known([1, 4]), known([3]), data_format="NHWC")


GENERATOR = np.random.default_rng(7)
IMAGES = GENERATOR.integers(-4, 5, (2, 6, 5, 3)).astype(np.float64)
FILTERS = GENERATOR.integers(-3, 4, (3, 2, 3, 2)).astype(np.float64)


PLAIN = {"strides": (1, 1), "padding": "VALID", "dilations": (1, 1)}
PLAIN["data_format"] = "NHWC"


@pytest.mark.parametrize("dtype", FLOATING)
def test_conv2d_of_every_dtype_sums_in_float32_or_more(dtype):
    images, filters = np.ones((1, 20, 20, 1), dtype), np.ones((20, 20, 1, 1), dtype)
    got = run("Conv2D", images, filters, **PLAIN)
    assert got.dtype == dtype and got.item() == np.array(400, dtype)


def test_explicit_padding_is_zeros_around_the_image():
    around = np.pad(IMAGES, [(0, 0), (1, 2), (0, 3), (0, 0)])
    attrs = {"strides": (1, 2), "dilations": (1, 1), "data_format": "NHWC"}
    expected = run("Conv2D", around, FILTERS, padding="VALID", **attrs)
    got = run("Conv2D", IMAGES, FILTERS, padding=((1, 2), (0, 3)), **attrs)
    np.testing.assert_array_equal(got, expected)


def test_max_pool_of_integers_finds_negative_ones_too():
    images = np.full((1, 2, 2, 1), -7, np.int8)
    attrs = {"ksize": (2, 2), "strides": (1, 1), "padding": "SAME"}
    got = run("MaxPool", images, data_format="NHWC", **attrs)
    assert got.dtype == np.int8 and set(got.ravel().tolist()) == {-7}


def conv_spec(images, filters, **attrs):
    return infer("Conv2D", known(images), known(filters), **PLAIN | attrs)


@pytest.mark.parametrize(
    ("images", "filters", "attrs", "expected"),
    [
        ([None, 8, None, 3], [3, 3, 3, 5], {"padding": "SAME", "strides": (2, 2)},
         [None, 4, None, 5]),
        ([None, 3, None, 9], [3, 3, 3, 5], {"data_format": "NCHW"}, [None, 5, None, 7]),
        ([1, 9, 9, 3], [2, 2, 3, 5], {"dilations": (3, 1)}, [1, 6, 8, 5]),
    ],
)  # fmt: skip
def test_static_shapes_of_images(images, filters, attrs, expected):
    assert conv_spec(images, filters, **attrs).shape.as_list() == expected


def test_images_that_do_not_fit_are_refused():
    for images, filters, message in (
        ([1, 8, 8, 3], [3, 3, 4, 5], "takes 4 channels, the images have 3"),
        ([1, 2, 8, 3], [3, 3, 3, 5], "a window of 3 does not fit"),
        ([8, 8, 3], [3, 3, 3, 5], "expected rank 4"),
    ):
        with pytest.raises(ValueError, match=message):
            conv_spec(images, filters)
