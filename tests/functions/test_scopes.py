"""The scope functions act on the default graph."""

import pytest

import tpuref as tf


def test_all_scopes_hold_together(graph):
    first = tf.no_op()
    with (
        tf.name_scope("n") as scope,
        tf.device("/job:a"),
        tf.device("/cpu:0"),
        tf.control_dependencies([first]),
    ):
        x = tf.constant(1, name="x")
    assert scope == "n/"
    assert x.op.name == "n/x"
    assert x.device == x.op.device == "/job:a/device:CPU:0"
    assert x.op.control_inputs == [first]
    y = tf.constant(1, name="x")
    assert (y.op.name, y.device, y.op.control_inputs) == ("x", "", [])


def test_scopes_follow_the_default_graph(graph):
    with tf.name_scope("outer"), tf.Graph().as_default() as inner:
        assert inner.get_name_scope() == ""
        with tf.name_scope("inner"):
            assert tf.constant(0, name="x").op.name == "inner/x"
            with graph.as_default():
                assert tf.constant(0, name="x").op.name == "outer/x"


def test_values_are_accepted_by_name_scope():
    x = tf.constant(1)
    with tf.name_scope(None, "scale", [x]) as scope:
        assert scope == "scale/"


def test_colocation(graph):
    with tf.device("/gpu:1"):
        v = tf.Variable(0.0)
    with tf.colocate_with(v):
        x = tf.constant(1)
    with tf.device("/cpu:0"), tf.colocate_with(x.op):
        y = tf.constant(1)
    assert x.device == y.device == graph.as_graph_element(v).device


def test_a_device_scope_places_variables_too():
    with tf.device("/job:ps/cpu:0"):
        v, w = tf.Variable(0.0), tf.get_variable("w", [])
    assert v.device == w.device == "/job:ps/device:CPU:0"


def test_eager_mode_accepts_all_scopes():
    with tf.eager_execution():
        x = tf.constant(2)
        with (
            tf.name_scope("n"),
            tf.device("/cpu:0"),
            tf.control_dependencies([x]),
            tf.control_dependencies(None),
            tf.variable_scope("v"),
        ):
            assert int(x * 3) == 6


def test_scopes_close_when_the_block_fails(graph):
    with (
        pytest.raises(ZeroDivisionError),
        tf.name_scope("a"),
        tf.device("/cpu:0"),
        tf.control_dependencies([]),
    ):
        raise ZeroDivisionError
    x = tf.constant(0)
    assert (x.op.name, x.device) == ("Const", "")
