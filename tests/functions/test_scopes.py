"""The scope functions act on the default graph."""

import tpuref as tf


def test_all_scopes_hold_together():
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


def test_values_are_accepted_by_name_scope():
    with tf.name_scope(None, "scale", [tf.constant(1)]) as scope:
        assert scope == "scale/"


def test_a_device_scope_places_variables_too():
    with tf.device("/job:ps/cpu:0"):
        v, w = tf.Variable(0.0), tf.get_variable("w", [])
    assert v.device == w.device == "/job:ps/device:CPU:0"


def test_eager_mode_accepts_all_scopes(eager):
    x = tf.constant(2)
    with (
        tf.name_scope("n"),
        tf.device("/cpu:0"),
        tf.control_dependencies([x]),
        tf.control_dependencies(None),
        tf.variable_scope("v"),
    ):
        assert int(x * 3) == 6
