"""Building: what is registered for it, and static shapes found from constants."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.graph.build import apply

from ..pythons import python

SCRIPT = """
import tpuref.engine.graph.{}
from tpuref.engine.graph.convert import constant
print((-constant([1, 2]) * 2)[0].op.type)
"""


def test_shapes_computed_from_constants_are_static():
    x = tf.placeholder(tf.float32, [4, 6])
    size = tf.shape(x)
    halves = tf.stack([size[0] // 2, size[1] * 2])
    assert tf.reshape(x, halves).shape.as_list() == [2, 12]
    assert tf.zeros([size[0], tf.constant(3)]).shape.as_list() == [4, 3]
    assert tf.reshape(x, [tf.size(x)]).shape.as_list() == [24]
    assert tf.fill([tf.rank(x)], 1.0).shape.as_list() == [2]


def test_shapes_that_are_not_known_stay_unknown():
    x = tf.placeholder(tf.float32, [None, 6])
    assert tf.zeros(tf.shape(x)).shape.ndims in (None, 2)
    n = tf.placeholder(tf.int32, [])
    assert tf.zeros([n, 2]).shape.as_list() == [None, 2]
    assert tf.Session().run(tf.zeros([n, 2]), {n: 3}).shape == (3, 2)


def test_a_static_value_is_the_value_that_runs():
    a, b = tf.constant([7, -7, 12]), tf.constant([2, 2, 5])
    for value in (a // b, a % b, a * b - a, tf.cumsum(a), tf.reverse(a, [0])):
        np.testing.assert_array_equal(value.operand().value, tf.Session().run(value))


def test_what_is_not_computed_while_building():
    calls = []
    x = tf.py_func(lambda: calls.append(1) or 0, [], tf.int32)
    values = [tf.zeros([1000]) + 1.0, tf.range(10**9), tf.random_uniform([2])]
    for value in (*values, tf.Print(tf.constant(1), []), x):
        assert value.operand().value is None
    assert calls == []


def test_a_fault_in_a_constant_is_left_to_the_run():
    x = tf.constant([1]) // tf.constant([0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?i)zero"):
        tf.Session().run(x)


def test_a_feed_goes_before_a_static_value():
    x = tf.constant([2, 3])
    found = tf.Session().run([x, tf.reduce_sum(x * 10)], {x: [1, 1]})
    assert [value.tolist() for value in found] == [[1, 1], 20]


@pytest.mark.parametrize("wrong", [None, object(), {"a": 1}])
def test_inputs_without_a_tensor_form_are_numbered(wrong):
    with pytest.raises((TypeError, ValueError), match="AddV2: input 1: "):
        apply("AddV2", tf.constant(1.0), wrong)


@pytest.mark.parametrize("first", ["builder", "device", "tensor", "numpy_protocol"])
def test_the_first_module_brings_the_builder_along(first):
    done = python("-c", SCRIPT.format(first), check=True)
    assert done.stdout.split() == ["StridedSlice"]
