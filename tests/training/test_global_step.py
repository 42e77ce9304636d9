"""The global step of a graph, and of eager mode."""

import pytest

import tpuref as tf


def test_a_graph_has_one():
    step = tf.train.create_global_step()
    assert (step.name, step.dtype, step.trainable) == ("global_step:0", tf.int64, False)
    assert tf.train.get_global_step() is tf.train.get_or_create_global_step() is step
    assert step in tf.global_variables()
    assert tf.get_collection(tf.GraphKeys.GLOBAL_STEP) == [step]
    with pytest.raises(ValueError, match="get_or_create_global_step"):
        tf.train.create_global_step()


def test_of_another_graph():
    graph = tf.Graph()
    step = tf.train.get_or_create_global_step(graph)
    assert step.graph is graph
    assert tf.train.get_global_step() is None
    assert tf.compat.v1.train.get_global_step(graph) is step


def test_one_that_a_program_made_by_its_name():
    step = tf.get_variable("global_step", [], tf.int64, trainable=False)
    assert tf.train.get_global_step() is step


def test_it_grows_after_the_variables_have_changed(session):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=1.0)
    descent = tf.train.GradientDescentOptimizer(tf.cast(step + 1, tf.float32))
    train_op = descent.minimize(w, global_step=step)
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train_op)
    assert tf.train.global_step(session, step) == 3
    assert session.run(w) == 1.0 - (1 + 2 + 3)


def test_in_eager_mode(eager):
    step = tf.train.get_or_create_global_step()
    assert tf.train.get_or_create_global_step() is step
    w = tf.Variable(1.0)
    tf.train.GradientDescentOptimizer(0.5).minimize(lambda: w * 2.0, global_step=step)
    assert tf.train.global_step(None, step) == 1
    assert float(w) == 0.0


def test_what_it_cannot_be():
    tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, tf.Variable([1, 2]))
    with pytest.raises(TypeError, match="integer"):
        tf.train.get_global_step()
    tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, tf.Variable(1))
    with pytest.raises(ValueError, match="must have one variable"):
        tf.train.get_global_step()
