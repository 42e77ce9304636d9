"""What values become as tensors: element types, packing, and what is refused."""

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf

from ..functions.values import run
from ..messages import line, refused

NATURAL = {
    tf.float32: [1.5, [1, 2.5], (1.0, 2.0), [], [[], []], [np.float32(1), 2.5]],
    tf.int32: [1, -(2**31), 2**31 - 1, [[1, 2], [3, 4]], range(3), tf.Dimension(3)],
    tf.int64: [2**31, -(2**31) - 1, [1, 2**40], np.int64(1)],
    tf.float64: [np.float64(1), np.array([1.0]), [np.array([1.0])]],
    tf.string: ["text", b"text", np.array(["a", "b"]), np.array([b"a"], object)],
}
NATURAL[tf.float32] += [[np.float64(1)]]
NATURAL[tf.int32] += [tf.TensorShape([2, 3]), [tf.Dimension(2), 3]]
NATURAL[tf.int32] += [[[tf.Dimension(2)], [3]]]
NATURAL |= {tf.uint64: [2**63], tf.bool: [True], tf.complex128: [1j]}
NATURAL |= {
    tf.as_dtype(kind): [np.array([1], kind)]
    for kind in (np.uint8, np.float16, ml_dtypes.bfloat16)
}


@pytest.mark.parametrize("dtype", NATURAL)
def test_the_natural_dtype(dtype):
    for value in NATURAL[dtype]:
        assert tf.convert_to_tensor(value).dtype == tf.constant(value).dtype == dtype


def test_values_arrive_as_they_are():
    values = [2**40, [[1, 2], [3, 4]], 0.1, tf.TensorShape([2, 3])]
    values += [[tf.Dimension(2), 3]]
    found = run([tf.constant(value) for value in values])
    assert found[0] == 2**40
    assert found[1].tolist() == [[1, 2], [3, 4]]
    assert found[2] == np.float32(0.1)
    assert found[3].tolist() == found[4].tolist() == [2, 3]


def test_text_becomes_bytes_and_loses_none_of_them():
    assert run(tf.constant("Grüße")) == "Grüße".encode()
    assert run(tf.constant(b"ends with zero\0")) == b"ends with zero\0"
    assert run(tf.constant([b"a\0", "b", ""])).tolist() == [b"a\0", b"b", b""]
    assert run(tf.constant([["a"], ["bc"]])).tolist() == [[b"a"], [b"bc"]]
    assert run(tf.constant(np.array(["a", "bc"]))).tolist() == [b"a", b"bc"]
    assert run(tf.constant([], tf.string)).tolist() == []


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1, tf.float32, 1.0),
        (1, tf.float64, 1.0),
        (1.0, tf.complex64, 1 + 0j),
        (255, tf.uint8, 255),
        (1.5, tf.bfloat16, 1.5),
        ([], tf.int32, []),
        (True, tf.int32, 1),
        (True, tf.float32, 1.0),
        (np.array([1.75]), tf.int32, [1]),
        (np.array([1, 2]), tf.float32, [1.0, 2.0]),
        (1, "int64", 1),
        (1, np.int64, 1),
    ],
)
def test_a_dtype_that_is_asked_for(value, dtype, expected):
    tensor = tf.convert_to_tensor(value, dtype, dtype_hint=tf.uint8)
    assert tensor.dtype == dtype
    assert np.array_equal(run(tensor), np.asarray(expected))


LOSSES = [(1.5, tf.int32), (1.0, tf.int32), ([1, 2.0], tf.int64), (1j, tf.float32)]
LOSSES += [(1, tf.bool), ("a", tf.float32), (1, tf.string)]
OVERFLOWS = [(256, tf.uint8), (-1, tf.uint16), (2**40, tf.int32)]


@pytest.mark.parametrize("function", [tf.constant, tf.convert_to_tensor])
def test_a_dtype_that_would_lose_something(function):
    for cases, error in ((LOSSES, TypeError), (OVERFLOWS, ValueError)):
        for value, dtype in cases:
            with pytest.raises(error, match=rf"tf\.{function.__name__}: .*"):
                function(value, dtype)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([[1, 2], [3]], ValueError, "ragged"),
        ([["a", "b"], ["c"]], ValueError, "ragged"),
        ([[1, 2], 3], ValueError, "ragged"),
        (["a", 1], TypeError, "no tensor form"),
        ([1, None], TypeError, "no tensor form"),
        (None, ValueError, "None"),
        ({"a": 1}, TypeError, "no tensor form"),
        (object(), TypeError, "no tensor form"),
        (2**70, TypeError, "no tensor form"),
        ([np.datetime64("2020-01-01")], TypeError, "not an element type"),
        (tf.Dimension(None), ValueError, "unknown Dimension"),
        (tf.TensorShape([None]), ValueError, "partly unknown"),
    ],
)
def test_values_without_a_tensor_form(value, error, message):
    for function in (tf.constant, tf.convert_to_tensor):
        with pytest.raises(error, match=message):
            function(value)
    with pytest.raises(TypeError, match="is an operation, which has no value"):
        tf.convert_to_tensor(tf.no_op())


def test_a_tensor_stays_itself():
    x = tf.constant(1.0)
    assert tf.convert_to_tensor(x) is x
    assert tf.convert_to_tensor(x, tf.float32) is x
    assert tf.convert_to_tensor(x, preferred_dtype=tf.int32) is x


def test_a_tensor_of_another_dtype_is_refused_with_its_place():
    x, made = tf.constant(1.0, name="x"), line()
    words = ["expected dtype int32, got x:0 float32", f"{__file__}:{made}"]
    refused(ValueError, words, tf.convert_to_tensor, x, tf.int32)


def test_lists_with_tensors_and_variables_are_packed(evaluate):
    x, v = tf.constant(2.0), tf.Variable(3.0)
    packed = tf.convert_to_tensor([[1, x], [x, 4]])
    assert packed.dtype == tf.float32
    assert packed.shape.as_list() == [2, 2]
    assert run(packed).tolist() == [[1.0, 2.0], [2.0, 4.0]]
    rows = tf.convert_to_tensor((tf.constant([1, 2]), [3, 4]), name="rows")
    assert rows.op.name == "rows"
    assert run(rows).tolist() == [[1, 2], [3, 4]]
    assert evaluate(tf.convert_to_tensor([v, 1])).tolist() == [3.0, 1.0]


def test_lists_with_tensors_have_to_be_even():
    x = tf.constant(1.0)
    one, convert = tf.constant(1), tf.convert_to_tensor
    with pytest.raises(ValueError, match="(?i)pack"):
        convert([x, [x, x]])
    refused(ValueError, ["expected dtype float32"], convert, [x, one])
    refused(TypeError, ["expected int32"], convert, [one, 2.5])


# A hint is followed where nothing is lost.


@pytest.mark.parametrize(
    ("value", "hint", "dtype"),
    [
        (1, tf.float32, tf.float32),
        (1, tf.int64, tf.int64),
        (1.5, tf.int32, tf.float32),
        (True, tf.float32, tf.float32),
        (1, tf.bool, tf.int32),
        (np.array([True]), tf.int32, tf.int32),
        (np.array([1]), tf.bool, tf.int64),
        (300, tf.uint8, tf.uint8),
        (np.array([1.5]), tf.float32, tf.float32),
        (np.array([1.5]), tf.int32, tf.float64),
        (np.array([2**40]), tf.int32, tf.int64),
        (np.array([1, 2]), tf.int32, tf.int32),
        ("a", tf.float32, tf.string),
    ],
)
def test_hints(value, hint, dtype):
    assert tf.convert_to_tensor(value, dtype_hint=hint).dtype == dtype
    assert tf.convert_to_tensor(value, preferred_dtype=hint).dtype == dtype


@pytest.mark.parametrize(
    ("value", "shape", "error", "message"),
    [
        ([1, 2, 3], [2], ValueError, r"tf.constant: \d values do not fit shape"),
        ([], [1], ValueError, r"tf.constant: \d values do not fit shape"),
        ([[1, 2]], [], ValueError, r"tf.constant: \d values do not fit shape"),
        (1, [None], ValueError, "not fully known"),
    ],
)
def test_values_that_do_not_fit_the_shape(value, shape, error, message):
    with pytest.raises(error, match=message):
        tf.constant(value, shape=shape)


def test_a_shape_may_be_verified():
    assert tf.constant([1, 2], shape=[2], verify_shape=True).shape == [2]
    with pytest.raises(TypeError, match=r"of shape \(2, 2\), got \[\]"):
        tf.constant(1, shape=[2, 2], verify_shape=True)


def test_a_constant_needs_a_plain_value():
    with pytest.raises(TypeError, match="already the tensor"):
        tf.constant(tf.constant(1))


def test_constants_are_copies():
    array = np.zeros(3)

    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return array

    x, y, z = tf.constant(array), tf.constant(Wrapped()), tf.constant([array])
    array += 1.0
    assert [value.sum() for value in run([x, y, z])] == [0.0, 0.0, 0.0]
    assert array.flags.writeable
