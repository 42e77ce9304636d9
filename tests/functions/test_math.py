"""The mathematical functions of tf, and NumPy's on tensors, as a session sees them."""

import math

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.functions.numpy_math import UFUNCS

from ..messages import refused
from .values import run


def same(found, expected):
    """Equal values and equal dtypes."""
    expected = np.asarray(expected)
    assert np.asarray(found).dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_plain_values_take_the_dtype_of_the_tensor_beside_them():
    half = tf.constant([0.5], tf.bfloat16)
    assert (tf.add(1, half).dtype, tf.less(half, 2).dtype) == (tf.bfloat16, tf.bool)
    assert tf.pow(tf.constant(2.0), 3).dtype == tf.float32
    assert tf.maximum(np.float64(0), half).dtype == tf.bfloat16


def test_division_by_python_version():
    x = tf.constant([7, -7])
    same(run(tf.div(x, 2)), np.asarray([3, -4], np.int32))
    same(run(tf.div(1, tf.constant(4.0))), np.float32(0.25))
    same(run(tf.truediv(x, 2)), [3.5, -3.5])
    same(run(x / 2), [3.5, -3.5])
    same(run(tf.divide(tf.constant([7], tf.int8), 2)), np.asarray([3.5], np.float32))
    divisor = tf.placeholder(tf.int32)
    words, whole = ["division by zero", "E116"], x // divisor
    refused(tf.errors.InvalidArgumentError, words, run, whole, {divisor: 0})


def test_aliases_are_the_same_functions():
    assert tf.mod is tf.floormod
    assert tf.floor_div is tf.floordiv
    assert tf.math.divide_no_nan is tf.div_no_nan
    assert tf.math.reduce_sum is tf.reduce_sum


def test_cast_returns_a_tensor_of_the_type_as_it_is():
    x = tf.constant([1.5])
    assert tf.cast(x, tf.float32) is x
    same(run(tf.cast(x, "int64")), [1])


@pytest.mark.parametrize(
    ("values", "source", "target", "expected"),
    [
        ([-1e9, 70000, 3.7], "float32", "int16", [-32768, 32767, 3]),
        ([-1e30, 1e30], "float32", "int32", [-(2**31), 2**31 - 128]),
        ([-1e30, 1e30], "bfloat16", "int8", [-128, 127]),
        ([-1, 2**40], "int64", "uint32", [0, 2**32 - 1]),
        ([1e300, -1e300], "float64", "float16", [65504, -65504]),
        ([200], "uint8", "float32", [200]),
    ],
)
def test_saturating_cast_stays_in_range(values, source, target, expected):
    x = tf.cast(tf.constant(values, tf.float64), source)
    if source == "int64":
        x = tf.constant(values, tf.int64)
    found = run(tf.saturate_cast(x, target))
    assert found.dtype == tf.as_dtype(target).np
    assert found.tolist() == expected


def test_lists_of_tensors_are_added():
    x = tf.placeholder(tf.float32, [None])
    total = tf.add_n([x, tf.constant([1.0, 2.0])])
    assert total.shape.as_list() == [2]
    same(run(total, {x: [1, 1]}), np.asarray([2, 3], np.float32))


def test_bounds_must_not_widen_what_is_clipped():
    x = tf.constant([1.0, 9.0])
    same(run(tf.clip_by_value(x, [0, 0], 5)), np.asarray([1, 5], np.float32))


def test_clipping_by_length():
    rows = run(tf.clip_by_norm(tf.constant([[3.0, 4.0], [0.3, 0.4]]), 1.0, axes=[1]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)
    (a, none, b), length = tf.clip_by_global_norm([[3.0], None, [4.0]], 10.0)
    assert none is None
    assert [value.tolist() for value in run([a, b, length])] == [[3], [4], 5]


def test_slices_are_clipped_by_their_rows():
    rows = tf.IndexedSlices([[3.0], [4.0]], [1, 1], [3, 1])
    (clipped, none), length = tf.clip_by_global_norm([rows, None], 1.0)
    assert none is None
    assert isinstance(clipped, tf.IndexedSlices)
    same(run(clipped.values), np.float32([[0.6], [0.8]]))
    assert run(length) == 5.0


def test_an_infinite_norm_clips_to_nothing_usable():
    clipped, length = tf.clip_by_global_norm([[np.inf, 1.0], 2.0], 1.0)
    assert np.isnan(np.concatenate([np.ravel(run(x)) for x in clipped])).all()
    assert np.isinf(run(length))


def test_clipping_by_average_length():
    x = np.float32([3.0, -4.0])
    same(run(tf.clip_by_average_norm(x, 1.0)), np.float32([1.2, -1.6]))
    same(run(tf.clip_by_average_norm(x, 5.0)), x)


def test_real_and_conj_leave_real_tensors_alone():
    x = tf.constant([1.0])
    assert tf.real(x) is x
    assert tf.conj(x) is x
    same(run(tf.imag(x)), np.asarray([0], np.float32))


def test_means_of_integers_are_integers_in_tf_and_fractions_in_numpy():
    x = tf.constant([1, 2])
    same(run(tf.reduce_mean(x)), np.int32(1))
    same(run(np.mean(x)), np.float64(1.5))


@pytest.mark.parametrize(
    "axis", [1, -1, [1], (-1,), np.array([1]), np.int64(1), tf.Dimension(1)]
)
def test_an_axis_may_be_given_in_any_form(axis):
    total = tf.reduce_sum(tf.constant([[1, 2], [3, 4]]), axis)
    assert total.op.get_attr("axis") == (1,)
    assert run(total).tolist() == [3, 7]


def test_an_axis_may_be_a_constant_tensor_but_not_an_unknown_one():
    x = tf.constant([[1, 2], [3, 4]])
    assert run(tf.reduce_sum(x, tf.constant([0, 1]))) == 10
    assert run(tf.argmax(x, tf.constant(1))).tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"tf\.reduce_sum: axis"):
        tf.reduce_sum(x, tf.placeholder(tf.int32, []))


def test_former_names_of_arguments():
    x = tf.constant([[1.0, 2.0]])
    assert run(tf.reduce_max(x, reduction_indices=1, keep_dims=True)).tolist() == [[2]]
    assert run(tf.argmin(x, dimension=1)).tolist() == [0]
    assert run(tf.count_nonzero(input=x)) == 2
    with pytest.raises(ValueError, match="axis and reduction_indices are the same"):
        tf.reduce_sum(x, 0, reduction_indices=0)
    with pytest.raises(ValueError, match="keepdims and keep_dims are the same"):
        tf.reduce_any(x > 0, keepdims=True, keep_dims=True)


def test_tensors_of_unknown_rank_are_reduced_when_they_come():
    x = tf.placeholder(tf.float32)
    last, everything = tf.reduce_sum(x, -1), tf.reduce_sum(x)
    assert (last.shape.rank, everything.shape.rank) == (None, 0)
    assert run([last, everything], {x: [[1, 2], [3, 4]]})[0].tolist() == [3, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis -1"):
        run(last, {x: 5.0})


def test_truth_is_asked_of_booleans_only():
    assert run(np.all(tf.constant([1, 0]))) == np.False_


def test_spread_wants_fractions_in_tf_and_takes_integers_in_numpy():
    same(run(np.var(tf.constant([1, 4]))), 2.25)
    same(run(np.std(tf.constant([1, 4]), ddof=1)), np.std([1, 4], ddof=1))


# NumPy's functions.

FRACTIONS = np.asarray([[0.25, 0.5, 0.75], [0.125, 0.875, 0.5]])
WHOLE = np.asarray([[1, 2, 3], [6, 5, 4]], np.int32)
TRUTH = np.asarray([[True, False, True], [False, False, True]])
ON_WHOLE = {
    np.gcd, np.lcm, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert,
    np.left_shift, np.right_shift,
}  # fmt: skip
ON_TRUTH = {np.logical_and, np.logical_or, np.logical_xor, np.logical_not}


def ufunc_inputs(ufunc):
    if ufunc is np.ldexp:
        return [FRACTIONS, WHOLE]
    if ufunc is np.matmul:
        return [FRACTIONS, FRACTIONS.T + 1]
    if ufunc is np.arccosh:
        return [FRACTIONS + 1]
    sample = WHOLE if ufunc in ON_WHOLE else TRUTH if ufunc in ON_TRUTH else FRACTIONS
    return [sample, sample[1]][: ufunc.nin]


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_give_what_they_give_for_arrays(ufunc):
    arrays = ufunc_inputs(ufunc)
    expected = ufunc(*arrays)
    found = run(ufunc(*map(tf.constant, arrays)))
    if ufunc.nout == 1:
        expected, found = (expected,), (found,)
    for one, other in zip(found, expected, strict=True):
        same(one, other)


FUNCTIONS = {
    "sum": lambda x: np.sum(x),
    "sum of one axis": lambda x: np.sum(x, axis=0),
    "sum kept": lambda x: np.sum(x, -1, keepdims=True),
    "sum as": lambda x: np.sum(x, dtype=np.float32),
    "prod": lambda x: np.prod(x, axis=1),
    "mean": lambda x: np.mean(x, 0),
    "var": lambda x: np.var(x, axis=1),
    "var with ddof": lambda x: np.var(x, 1, ddof=1, keepdims=True),
    "std": lambda x: np.std(x),
    "any": lambda x: np.any(x, axis=0),
    "all": lambda x: np.all(x, axis=(0, 1)),
    "count_nonzero": lambda x: np.count_nonzero(x, axis=1),
    "argmax": lambda x: np.argmax(x),
    "argmax of one axis": lambda x: np.argmax(x, axis=1),
    "argmin kept": lambda x: np.argmin(x, 0, keepdims=True),
    "cumsum": lambda x: np.cumsum(x),
    "cumsum of one axis": lambda x: np.cumsum(x, axis=-1),
    "cumprod": lambda x: np.cumprod(x, 0),
    "add.reduce": lambda x: np.add.reduce(x),
    "multiply.reduce": lambda x: np.multiply.reduce(x, axis=1),
    "trace": lambda x: np.trace(x, 1),
}
NUMBERS = {
    "max": lambda x: np.max(x, axis=1),
    "amax": lambda x: np.amax(x),
    "min": lambda x: np.min(x, keepdims=True),
    "amin": lambda x: np.amin(x, 0),
    "maximum.reduce": lambda x: np.maximum.reduce(x),
    "minimum.reduce": lambda x: np.minimum.reduce(x, axis=None),
    "clip": lambda x: np.clip(x, 1, 4),
    "clip below": lambda x: np.clip(x, 2, None),
    "clip crossed": lambda x: np.clip(x, 5, 1),
    "round": lambda x: np.round(x),
    "around": lambda x: np.around(x),
    "dot": lambda x: np.dot(x, x[1]),
    "dot of matrices": lambda x: np.dot(x, np.ones((3, 2), WHOLE.dtype)),
    "dot of scalars": lambda x: np.dot(x, x[0, 0]),
    "inner": lambda x: np.inner(x, x),
    "outer": lambda x: np.outer(x, x[0]),
    "vdot": lambda x: np.vdot(x, x),
    "tensordot": lambda x: np.tensordot(x, x, axes=([1], [1])),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "real": lambda x: np.real(x),
    "imag": lambda x: np.imag(x),
}
FLOATS = {
    "round to two": lambda x: np.round(x, 1),
    "round to hundreds": lambda x: np.round(x * 1000, -2),
    "angle": lambda x: np.angle(-x, deg=True),
    "nan_to_num": lambda x: np.nan_to_num(np.log(x - 0.125), neginf=-1),
    "isclose": lambda x: np.isclose(x, x + 0.1, rtol=0.1, atol=0.05),
    "allclose": lambda x: np.allclose(x, x * (1 + 1e-7)),
    "linalg.norm": lambda x: np.linalg.norm(x),
    "linalg.norm of rows": lambda x: np.linalg.norm(x, axis=1),
    "linalg.norm by columns": lambda x: np.linalg.norm(x, 1),
    "linalg.norm by rows": lambda x: np.linalg.norm(x, np.inf, keepdims=True),
    "linalg.norm of a power": lambda x: np.linalg.norm(x[0], 3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", [FRACTIONS, WHOLE, TRUTH], ids=["float", "int", "bool"])
def test_functions_give_what_they_give_for_arrays(name, x):
    same(run(FUNCTIONS[name](tf.constant(x))), FUNCTIONS[name](x))


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("x", [FRACTIONS, WHOLE], ids=["float", "int"])
def test_functions_of_numbers_give_what_they_give_for_arrays(name, x):
    found, expected = run(NUMBERS[name](tf.constant(x))), NUMBERS[name](x)
    if name == "dot of matrices":
        expected = expected.astype(x.dtype)
    same(found, expected)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_fractions_give_what_they_give_for_arrays(name, dtype):
    x = FRACTIONS.astype(dtype) + FRACTIONS[0, 0].astype(dtype) * 0
    same(run(FLOATS[name](tf.constant(x))), FLOATS[name](x))


def test_arrays_and_tensors_mix_in_either_order():
    x = tf.constant([1.0, 2.0])
    array = np.asarray([10.0, 20.0])
    same(run(array + x), np.asarray([11, 22], np.float32))
    same(run(np.dot(array, x)), np.float32(50))
    same(run(np.logical_xor.reduce([True]) | (x > 1)), [True, True])


def test_a_reduction_of_a_ufunc_looks_along_the_first_axis():
    x = tf.constant(TRUTH)
    assert run(np.logical_and.reduce(x)).tolist() == [False, False, True]
    assert run(np.logical_or.reduce(x, axis=1)).tolist() == [True, True]


def test_special_functions_are_those_of_the_standard_library():
    points = [-1.5, 0.25, 2.0]
    found = run([tf.erf(points), tf.erfc(points), tf.lgamma(points)])
    for values, function in zip(found, (math.erf, math.erfc, math.lgamma), strict=True):
        np.testing.assert_allclose(values, [function(p) for p in points], rtol=1e-6)


@pytest.mark.parametrize(
    ("transform", "expected"),
    [("fft", [34.0, 250.0, -18.0, 374.0]), ("ifft", [-0.375, 14.625, 1.375, 21.875])],
)
def test_gradients_of_fourier_transforms_are_those_of_2_21(transform, expected, eager):
    x = tf.constant([1.0, -2.0, 0.5, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.signal, transform)(tf.complex(x, x * x))
        loss = tf.reduce_sum(tf.square(tf.math.real(y)) * [1.0, 2.0, 3.0, 4.0])
    assert tape.gradient(loss, x).numpy() == pytest.approx(expected, rel=1e-5)
