"""Distinct values, sums of segments, and changes of rows of variables."""

import numpy as np
import pytest

import tpuref as tf


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "bfloat16", "uint8"])
def test_distinct_values_come_in_the_order_of_their_first_occurrence(evaluate, dtype):
    y, idx = evaluate(tf.unique(tf.constant([7, 3, 7, 9, 0, 3], dtype), tf.int64))
    assert (y.tolist(), y.dtype.name) == ([7, 3, 9, 0], dtype)
    assert (idx.tolist(), idx.dtype) == ([0, 1, 0, 2, 3, 1], np.int64)


def test_of_nothing_there_are_no_distinct_values(evaluate):
    y, idx = evaluate(tf.unique(tf.constant([], tf.int32)))
    assert (y.size, idx.size) == (0, 0)


def test_sums_of_segments(evaluate):
    data = np.arange(12.0).reshape(2, 3, 2)
    ids = np.array([[2, 0, 2], [0, 3, 0]])
    expected = np.zeros([5, 2])
    np.add.at(expected, ids, data)
    for count in (5, tf.identity(np.int64(5))):
        sums = tf.math.unsorted_segment_sum(data, ids, count)
        np.testing.assert_array_equal(evaluate(sums), expected)
    x = tf.constant(data)
    (slope,) = tf.gradients(tf.math.unsorted_segment_sum(x, ids, 5)[0], x)
    np.testing.assert_array_equal(evaluate(slope)[..., 0], ids == 0)


def test_rows_of_a_variable(evaluate):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    rows = [[0.5, 0.5], [1.0, 1.0]]
    assert evaluate(tf.scatter_add(v, [2, 2], rows)).tolist()[2] == [6.5, 7.5]
    assert evaluate(tf.scatter_sub(v, [0, 0], rows)).tolist()[0] == [-0.5, 0.5]
    changed = evaluate(tf.scatter_update(v, np.int64([1, 0]), rows))
    assert changed.tolist() == [[1.0, 1.0], [0.5, 0.5], [6.5, 7.5]]
    assert evaluate(v).tolist() == changed.tolist()
    with pytest.raises(ValueError, match="expected shape"):
        tf.scatter_add(v, [0], rows)
    missing = tf.scatter_add(v, tf.identity([3, 0]), rows)
    with pytest.raises(tf.errors.InvalidArgumentError):
        evaluate(missing)


@pytest.mark.parametrize(
    ("change", "element", "rows"),
    [
        ("update", [0.5, 5, 3, 4, 5, 4], [2, 8]),
        ("add", [1.5, 5, 3, 4, 5, 17], [14, 13]),
        ("sub", [0.5, 5, 3, 4, 5, -5], [-8, -5]),
        ("max", [1, 5, 3, 4, 5, 7], [9, 8]),
        ("min", [0.5, 5, 3, 4, 5, 4], [2, 1]),
    ],
)
def test_scattering_into_variables_as_in_tensorflow(evaluate, change, element, rows):
    """Recorded from 1.15.5, and scatter_nd_max and scatter_nd_min from 2.21."""
    v, w = (tf.Variable([[1.0, 5.0], [3.0, 4.0], [5.0, 6.0]]) for _ in range(2))
    at, news = [[2, 1], [2, 1], [0, 0]], [7.0, 4.0, 0.5]
    method = getattr(tf.Variable, f"scatter_nd_{change}")
    changed = getattr(tf, f"scatter_nd_{change}", method)(v, at, news)
    assert evaluate(changed).ravel().tolist() == element
    changed = getattr(w, f"scatter_{change}")(
        tf.IndexedSlices(tf.constant([[9.0, 1.0], [2.0, 8.0]]), tf.constant([1, 1]))
    )
    assert evaluate(changed).ravel().tolist() == [1, 5, *rows, 5, 6]
    outside = method(v, tf.identity([[1, 2]]), [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        evaluate(outside)


def test_gradients_of_extremes_are_divided_as_in_tensorflow(evaluate):
    x, u = tf.constant([1.0, 3.0, 3.0]), tf.constant([3.0, 5.0, 3.0, 2.0])
    at, factors = [[1], [0], [1], [2]], [1.0, 2.0, 4.0]
    of_max = tf.gradients(tf.tensor_scatter_nd_max(x, at, u) * factors, [x, u])
    of_min = tf.gradients(tf.tensor_scatter_nd_min(x, at, u) * factors, [x, u])
    third = pytest.approx(2 / 3)
    assert [g.tolist() for g in evaluate(of_max)] == [
        [0, third, 4],
        [third, 1, third, 0],
    ]
    assert [g.tolist() for g in evaluate(of_min)] == [
        [1, third, 0],
        [third, 0, third, 4],
    ]
