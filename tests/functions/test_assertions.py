"""Printing, and assertions of values and shapes."""

import pytest

import tpuref as tf

from ..messages import line, refused
from .values import run


def test_print_shows_its_data_at_every_evaluation(capsys, session):
    x = tf.constant([1, 2, 3, 4])
    y = tf.Print(x, [x, tf.constant("text"), 2.5], "x is ", summarize=2)
    assert (y.dtype, y.shape.as_list()) == (tf.int32, [4])
    assert capsys.readouterr().err == ""
    for _ in range(2):
        assert session.run(y).tolist() == [1, 2, 3, 4]
    shown = capsys.readouterr()
    assert shown.err == "x is [1 2...][text][2.5]\n" * 2
    assert shown.out == ""


def test_print_shows_three_elements_by_default(capsys):
    run(tf.Print(tf.constant(0), [tf.range(9), tf.range(3)]))
    assert capsys.readouterr().err == "[0 1 2...][0 1 2]\n"


def test_assert_fails_at_run_time_with_its_data(session):
    x = tf.placeholder(tf.int32, [None])
    check, made = tf.Assert(tf.reduce_all(x > 0), [x, "positive"], 2, "check"), line()
    assert isinstance(check, tf.Operation)
    assert session.run(check, {x: [1]}) is None
    words, fed = ["[3 -1...] [positive]", f"{__file__}:{made}"], {x: [3, -1, 2]}
    error = refused(tf.errors.InvalidArgumentError, words, session.run, check, fed)
    assert error.op.name == "check"


def test_assert_needs_every_element_and_a_bool():
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.Assert([True, False], ["all"]))
    with pytest.raises((TypeError, ValueError), match="bool"):
        tf.Assert(tf.constant(1), [])


def test_python_and_assertions_run_at_once_in_eager_mode(graph, capsys):
    with tf.eager_execution():
        assert int(tf.py_func(lambda x: x * 2, [tf.constant(21)], tf.int32)) == 42
        assert tf.Assert(tf.constant(True), ["never"]) is None
        with pytest.raises(tf.errors.InvalidArgumentError, match="shown"):
            tf.Assert(tf.constant(False), ["shown"])
        assert int(tf.Print(tf.constant(1), ["printed"])) == 1
    assert capsys.readouterr().err == "[printed]\n"
    assert graph.get_operations() == []


def test_ensure_shape_makes_the_static_shape_more_precise(session):
    x = tf.placeholder(tf.float32, [None, None])
    y = tf.ensure_shape(x, [None, 2])
    assert y.shape.as_list() == [None, 2]
    values = session.run([y, tf.gradients(y * y, x)[0]], {x: [[1.0, 2.0]]})
    assert [value.tolist() for value in values] == [[[1, 2]], [[2, 4]]]


@pytest.mark.parametrize("value", [[[1.0, 2.0, 3.0]], [1.0, 2.0], 3.0])
def test_ensure_shape_refuses_other_shapes(value, session):
    y = tf.ensure_shape(tf.placeholder(tf.float32, name="x"), [None, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be"):
        session.run(y, {"x:0": value})
    with pytest.raises(ValueError, match=r"does not have the shape \(2, 2\)"):
        tf.ensure_shape(tf.zeros([2, 3]), [2, 2])
