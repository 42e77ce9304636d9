"""Python's operators on tensors and variables, on either side of plain values."""

import operator

import numpy as np
import pytest

import tpuref as tf

from ..functions.values import run

A = np.array([5.0, -3.0, 8.0], np.float32)
B = np.array([2.0, 4.0, -3.0], np.float32)

BINARY = [
    (operator.add, "AddV2", tf.add),
    (operator.sub, "Sub", tf.subtract),
    (operator.mul, "Mul", tf.multiply),
    (operator.truediv, "RealDiv", tf.divide),
    (operator.floordiv, "FloorDiv", tf.floordiv),
    (operator.mod, "FloorMod", tf.floormod),
    (operator.pow, "Pow", tf.pow),
    (operator.lt, "Less", tf.less),
    (operator.le, "LessEqual", tf.less_equal),
    (operator.gt, "Greater", tf.greater),
    (operator.ge, "GreaterEqual", tf.greater_equal),
]


@pytest.mark.parametrize(("python", "type", "function"), BINARY)
def test_operators_and_functions_build_the_same_operation(python, type, function):
    x, y = tf.constant(np.abs(A)), tf.constant(B)
    by_operator, by_function = python(x, y), function(x, y)
    assert by_operator.op.type == by_function.op.type == type
    expected = python(np.abs(A), B)
    np.testing.assert_allclose(run(by_operator), expected, rtol=1e-6)
    assert run(by_operator).dtype == expected.dtype


@pytest.mark.parametrize("other", [2, 2.5, np.float32(2.5), np.float64(2.5), [4, 5, 6]])
@pytest.mark.parametrize(("python", "type", "_"), BINARY)
def test_plain_values_on_either_side_take_the_tensors_dtype(python, type, _, other):
    x, array = tf.constant(np.abs(A)), np.abs(A)
    plain = np.asarray(other, np.float32)
    right, left = python(x, other), python(other, x)
    np.testing.assert_allclose(run(right), python(array, plain), rtol=1e-6)
    np.testing.assert_allclose(run(left), python(plain, array), rtol=1e-6)
    assert right.dtype == left.dtype
    assert left.op.inputs[0].dtype == left.op.inputs[1].dtype == tf.float32
    assert right.op.type == type


def test_unary_operators():
    x = tf.constant(A)
    assert ((-x).op.type, abs(x).op.type) == ("Neg", "Abs")
    np.testing.assert_array_equal(run(-x), -A)
    np.testing.assert_array_equal(run(abs(x)), abs(A))
    np.testing.assert_array_equal(run(+x), A)


def test_logic_on_bools_and_bits_on_integers():
    p, q = tf.constant([True, True, False]), np.array([True, False, False])
    types = " ".join(t.op.type for t in (p & q, p | q, p ^ q, ~p))
    assert types == "LogicalAnd LogicalOr LogicalXor LogicalNot"
    truth = np.array([True, True, False])
    np.testing.assert_array_equal(run(p & q), truth & q)
    np.testing.assert_array_equal(run(True ^ p), True ^ truth)
    i = tf.constant([6, 5])
    bits = (i & 3, 3 | i, i ^ 3, ~i)
    types = " ".join(t.op.type for t in bits)
    assert types == "BitwiseAnd BitwiseOr BitwiseXor Invert"
    assert [run(t).tolist() for t in bits] == [[2, 1], [7, 7], [5, 6], [-7, -6]]


def test_an_array_is_not_changed_in_place():
    array = np.zeros(2)
    with pytest.raises(TypeError, match="np.add on a tensor does not take out"):
        array += tf.constant([1.0, 2.0], tf.float64)
    assert array.tolist() == [0.0, 0.0]


# Mixed dtypes are refused, with both operands and where each was made.


def test_a_mismatch_shows_both_operands_and_their_places():
    x = tf.constant([1.0], name="left")
    y = tf.constant([1], name="right")
    with pytest.raises(TypeError) as caught:
        x + y
    text = str(caught.value)
    for part in ("AddV2", "left:0 float32[1]", "right:0 int32[1]", "float32", "int32"):
        assert part in text
    places = [where for where in text.splitlines() if "test_operators.py" in where]
    assert len(places) == 3
    assert 'x = tf.constant([1.0], name="left")' in places[0]
    assert 'y = tf.constant([1], name="right")' in places[1]
    assert "x + y" in places[2]


@pytest.mark.parametrize(
    ("tensor", "other"),
    [
        (1, 2.5),
        (1, np.array([2.5])),
        (1, 1j),
        (1.0, 1j),
        (True, 1),
        (1, np.array([2**40])),
    ],
)
def test_values_that_would_lose_something_are_refused(tensor, other):
    x = tf.constant(tensor)
    for build in (lambda: x + other, lambda: other + x):
        with pytest.raises(TypeError, match=r"(?s)AddV2.*test_operators"):
            build()


def test_variables_take_part_on_both_sides(evaluate):
    v = tf.Variable([1.0, 2.0])
    values = [value.tolist() for value in evaluate([v + 1, 1 + v, v * v, 2 / v, -v])]
    assert values == [[2, 3], [2, 3], [1, 4], [2, 1], [-1, -2]]
    assert (v < 2).dtype == tf.bool


def test_variables_are_subscripted_and_iterated_as_tensors(evaluate):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert evaluate(v[1, 0]) == 3.0
    assert evaluate(v[:, 1]).tolist() == [2.0, 4.0]
    assert [evaluate(row).tolist() for row in v] == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(TypeError, match=r"subscript 'x' of Variable/read"):
        v["x"]
