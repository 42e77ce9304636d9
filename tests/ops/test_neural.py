"""Operations of neural networks, against formulas and loops written out."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.errors import InvalidArgumentError

from .records import infer, known, run

FLOATING = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
NARROW = (np.float16, ml_dtypes.bfloat16)
X = np.array([[-200.0, -1.5, -0.0, 0.25], [1.0, 3.0, 7.0, 150.0]])


def softmax(x, axis):
    weights = np.exp(x - x.max(axis, keepdims=True))
    return weights / weights.sum(axis, keepdims=True)


def close(got, expected, dtype):
    """Check `got` against an exact result, to the precision of its dtype."""
    assert got.dtype == dtype
    bits = {np.float16: 11, ml_dtypes.bfloat16: 8, np.float32: 20, np.float64: 48}
    np.testing.assert_allclose(
        got.astype(np.float64), expected, rtol=2.0 ** -bits[dtype], atol=1e-7
    )


FORMULAS = {
    "Relu": lambda x: np.maximum(x, 0),
    "Relu6": lambda x: np.clip(x, 0, 6),
    "Elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "Selu": lambda x: (
        1.0507009873554805
        * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))
    ),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "Softsign": lambda x: x / (1 + np.abs(x)),
}


@pytest.mark.parametrize("name", sorted(FORMULAS))
@pytest.mark.parametrize("dtype", FLOATING)
def test_activations_follow_their_formula(name, dtype):
    x = X.astype(dtype)
    close(run(name, x), FORMULAS[name](x.astype(np.float64)), dtype)


@pytest.mark.parametrize("dtype", FLOATING)
def test_leaky_relu(dtype):
    x = X.astype(dtype)
    wide = x.astype(np.float64)
    close(run("LeakyRelu", x, alpha=0.2), np.where(wide > 0, wide, 0.2 * wide), dtype)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("axis", [0, -1])
def test_softmax_and_its_logarithm(dtype, axis):
    x = X.astype(dtype)
    exact = softmax(x.astype(np.float64), axis)
    close(run("Softmax", x, axis=axis), exact, dtype)
    logs = run("LogSoftmax", x, axis=axis).astype(np.float64)
    np.testing.assert_allclose(np.exp(logs), exact, rtol=0.02, atol=1e-7)


@pytest.mark.parametrize("dtype", NARROW)
def test_16_bits_are_rounded_once_at_the_end(dtype):
    x = np.linspace(-4, 4, 101).astype(dtype)
    wide = x.astype(np.float32)
    for name in ("Sigmoid", "Softsign", "Elu"):
        np.testing.assert_array_equal(run(name, x), run(name, wide).astype(dtype))
    exact = run("Softmax", wide, axis=0).astype(dtype)
    np.testing.assert_array_equal(run("Softmax", x, axis=0), exact)
    total = run("L2Loss", np.ones(1000, dtype))
    assert total == np.array(500, dtype)


LOGITS = np.array([[1.0, 2.0, -3.0], [0.0, 1000.0, 0.0]])


@pytest.mark.parametrize("dtype", FLOATING)
def test_cross_entropy_is_the_expected_surprise(dtype):
    labels = np.array([[0.25, 0.5, 0.25], [0.0, 1.0, 0.0]]).astype(dtype)
    logits = LOGITS.astype(dtype)
    chances = softmax(logits.astype(np.float64), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = labels.astype(np.float64) * np.log(chances)
    exact = -np.sum(np.where(labels == 0, 0, surprise), 1)
    got = run("SoftmaxCrossEntropyWithLogits", logits, labels, axis=-1)
    close(got, exact, dtype)
    columns = run("SoftmaxCrossEntropyWithLogits", logits.T, labels.T, axis=0)
    np.testing.assert_array_equal(columns, got)


@pytest.mark.parametrize("dtype", FLOATING)
def test_sparse_cross_entropy_is_that_of_one_sure_class(dtype):
    logits = LOGITS.astype(dtype)
    one_hot = np.eye(3).astype(dtype)[[2, 0]]
    dense = run("SoftmaxCrossEntropyWithLogits", logits, one_hot, axis=-1)
    sparse = run("SparseSoftmaxCrossEntropyWithLogits", logits, np.array([2, 0]))
    np.testing.assert_array_equal(sparse, dense)


@pytest.mark.parametrize("label", [3, -1])
def test_a_label_has_to_be_a_class(label):
    with pytest.raises(InvalidArgumentError, match=f"label {label} is no class"):
        run("SparseSoftmaxCrossEntropyWithLogits", LOGITS, np.array([0, label]))


def test_sigmoid_cross_entropy_does_not_overflow():
    got = run(
        "SigmoidCrossEntropyWithLogits",
        np.array([0.0, 1000.0, -1000.0, 1000.0]),
        np.array([0.5, 0.0, 1.0, 1.0]),
    )
    np.testing.assert_allclose(got, [np.log(2), 1000, 1000, 0])


def test_losses_want_fitting_shapes():
    with pytest.raises(ValueError, match="one label for each row"):
        infer("SparseSoftmaxCrossEntropyWithLogits", known([2, 3]), known([3], "int32"))
    with pytest.raises(ValueError, match="equal shapes"):
        infer("SigmoidCrossEntropyWithLogits", known([2, 3]), known([3]))


def test_shapes_known_only_in_a_run_broadcast_in_sigmoid_cross_entropy():
    """As in 1.15.5, which compares only static shapes."""
    x, z = np.linspace(-2, 2, 6).reshape(2, 3), np.array([0.0, 0.5, 1.0])
    got = run("SigmoidCrossEntropyWithLogits", x, z)
    whole = run("SigmoidCrossEntropyWithLogits", x, np.stack([z, z]))
    np.testing.assert_array_equal(got, whole)


def test_l2_normalize_leaves_short_vectors_short():
    x = np.array([[3.0, 4.0], [0.0, 1e-8]])
    got = run("L2Normalize", x, axes=(1,), epsilon=1e-12)
    np.testing.assert_allclose(got, [[0.6, 0.8], [0, 0.01]])


def test_biases_belong_to_channels():
    images = np.zeros((1, 2, 3, 4))
    last = run("BiasAdd", images, np.arange(4.0), data_format="NHWC")
    assert last[0, 1, 2].tolist() == [0, 1, 2, 3]
    second = run("BiasAdd", images, np.arange(2.0), data_format="NCHW")
    assert second[0, :, 2, 3].tolist() == [0, 1]
    with pytest.raises(InvalidArgumentError, match="expected 4 biases, got 1"):
        run("BiasAdd", images, np.ones(1), data_format="NHWC")
    with pytest.raises(ValueError, match="each of the 4 channels"):
        infer("BiasAdd", known([1, 4]), known([3]), data_format="NHWC")


def naive_padding(size, span, stride, padding):
    if padding == "VALID":
        return (size - span) // stride + 1, 0
    count = -(-size // stride)
    return count, max((count - 1) * stride + span - size, 0) // 2


def naive_conv2d(images, filters, strides, padding, dilations):
    batch, height, width, channels = images.shape
    rows, columns, _, outputs = filters.shape
    spans = [(n - 1) * d + 1 for n, d in zip((rows, columns), dilations, strict=True)]
    out_rows, top = naive_padding(height, spans[0], strides[0], padding)
    out_columns, left = naive_padding(width, spans[1], strides[1], padding)
    result = np.zeros((batch, out_rows, out_columns, outputs))
    for b, i, j, o in np.ndindex(result.shape):
        for r, c, k in itertools.product(range(rows), range(columns), range(channels)):
            y = i * strides[0] + r * dilations[0] - top
            x = j * strides[1] + c * dilations[1] - left
            if 0 <= y < height and 0 <= x < width:
                result[b, i, j, o] += images[b, y, x, k] * filters[r, c, k, o]
    return result


def naive_pool(images, ksize, strides, padding, fold):
    batch, height, width, channels = images.shape
    out_rows, top = naive_padding(height, ksize[0], strides[0], padding)
    out_columns, left = naive_padding(width, ksize[1], strides[1], padding)
    result = np.zeros((batch, out_rows, out_columns, channels))
    for b, i, j, k in np.ndindex(result.shape):
        y, x = i * strides[0] - top, j * strides[1] - left
        rows = slice(max(y, 0), y + ksize[0])
        columns = slice(max(x, 0), x + ksize[1])
        result[b, i, j, k] = fold(images[b, rows, columns, k])
    return result


GENERATOR = np.random.default_rng(7)
IMAGES = GENERATOR.integers(-4, 5, (2, 6, 5, 3)).astype(np.float64)
FILTERS = GENERATOR.integers(-3, 4, (3, 2, 3, 2)).astype(np.float64)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("strides", [(1, 1), (2, 1), (3, 2)])
@pytest.mark.parametrize("dilations", [(1, 1), (2, 3)])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_conv2d_is_the_sum_over_each_window(padding, strides, dilations, data_format):
    expected = naive_conv2d(IMAGES, FILTERS, strides, padding, dilations)
    images = IMAGES
    if data_format == "NCHW":
        images, expected = np.moveaxis(images, 3, 1), np.moveaxis(expected, 3, 1)
    attrs = {"padding": padding, "strides": strides, "dilations": dilations}
    got = run("Conv2D", images, FILTERS, data_format=data_format, **attrs)
    np.testing.assert_array_equal(got, expected)


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


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("ksize", [(2, 2), (3, 1)])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
@pytest.mark.parametrize("dtype", FLOATING)
def test_pooling_folds_what_lies_inside_the_image(padding, ksize, strides, dtype):
    images = IMAGES.astype(dtype)
    attrs = {"ksize": ksize, "strides": strides, "padding": padding}
    greatest = run("MaxPool", images, data_format="NHWC", **attrs)
    exact = naive_pool(IMAGES, ksize, strides, padding, np.max)
    np.testing.assert_array_equal(greatest, exact.astype(dtype))
    mean = run("AvgPool", images, data_format="NHWC", **attrs)
    close(mean, naive_pool(IMAGES, ksize, strides, padding, np.mean), dtype)


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
