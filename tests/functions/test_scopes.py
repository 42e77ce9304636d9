"""The scope functions act on the default graph."""

import tpuref as tf


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
