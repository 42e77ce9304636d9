"""Symbolic tensors: what they tell, and what they refuse before they have a value."""

import math
import operator

import numpy as np
import pytest

import tpuref as tf

from ..messages import line, refused


def test_name_shape_dtype_and_producer(graph):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    assert (x.name, x.op.name, x.value_index) == ("x:0", "x", 0)
    assert (x.dtype, x.shape.as_list(), x.ndim) == (tf.float32, [None, 3], 2)
    assert x.get_shape() == x.shape
    assert x.graph is graph
    assert x.op.outputs == [x]
    parts = tf.split(tf.constant([1, 2, 3, 4]), 2, name="halves")
    assert [part.value_index for part in parts] == [0, 1]
    assert parts[1].name == f"{parts[0].op.name}:1"


@pytest.mark.parametrize(
    ("shape", "text"),
    [([2, 3], "(2, 3)"), ([None], "(?,)"), ([], "()"), (None, "<unknown>")],
)
def test_repr(shape, text):
    x = tf.placeholder(tf.float32, shape, name="x")
    assert repr(x) == f"<tf.Tensor 'x:0' shape={text} dtype=float32>"


def test_equality_is_identity_and_tensors_are_hashable():
    x, y = tf.constant(1), tf.constant(1)
    assert x == x
    assert (x == y) is False
    assert (x != y) is True
    assert x in [y, x]
    assert y not in [x]
    assert {x: "x", y: "y"}[y] == "y"


def test_set_shape_adds_what_the_caller_knows():
    x = tf.placeholder(tf.float32)
    before = x + 1.0
    x.set_shape([None, 3])
    assert x.shape.as_list() == [None, 3]
    x.set_shape([2, None])
    with pytest.raises(ValueError, match=r"3"):
        x.set_shape([2, 4])
    assert before.shape.ndims is None
    assert x.shape.as_list() == (x + 1.0).shape.as_list() == [2, 3]


# What a tensor without a value refuses.


def test_truth_tells_the_way_out_and_where_the_tensor_was_made():
    x, made = tf.constant([1.0], name="x") > 0.5, line()
    words = ["bool[1]", "no truth value", f"{__file__}:{made}"]
    refused(TypeError, [*words, "tf.cond", "tf.logical_and", "Session.run"], bool, x)


@pytest.mark.parametrize(
    "convert",
    [int, float, operator.index, math.floor, lambda x: [0, 1][x], range],
    ids=["int", "float", "index", "floor", "subscript", "range"],
)
def test_numbers_do_not_exist_yet(convert):
    with pytest.raises(TypeError, match=r"Session\(\)\.run|floor"):
        convert(tf.constant(1))


def test_variables_have_no_value_before_a_session():
    for convert in (bool, int, float):
        with pytest.raises(TypeError, match="Session"):
            convert(tf.Variable(1.0))


@pytest.mark.parametrize("convert", [np.asarray, np.array, lambda x: np.add([0], [x])])
def test_arrays_do_not_exist_yet(convert):
    with pytest.raises(NotImplementedError, match=r"Const:0.*Session\(\)\.run"):
        convert(tf.constant(1))


def test_length_is_that_of_the_first_dimension_where_it_is_known():
    assert len(tf.placeholder(tf.float32, [4, None])) == 4
    for shape in ([None, 4], [], None):
        with pytest.raises(TypeError, match=r"len\(\)"):
            len(tf.placeholder(tf.float32, shape))


def test_iteration_gives_the_parts_along_the_first_dimension():
    rows = list(tf.constant([[1, 2], [3, 4], [5, 6]]))
    assert [row.shape.as_list() for row in rows] == [[2]] * 3
    assert [v.tolist() for v in tf.Session().run(rows)] == [[1, 2], [3, 4], [5, 6]]
    first, second = tf.placeholder(tf.float32, [2])
    assert first.shape.as_list() == second.shape.as_list() == []
    with pytest.raises(ValueError, match="unpack"):
        _, _, _ = tf.constant([1, 2])


@pytest.mark.parametrize(
    ("shape", "message"),
    [([None], "length is not known"), (None, "length is not known"), ([], "scalar")],
)
def test_iteration_over_an_unknown_number_is_refused(shape, message):
    x, made = tf.placeholder(tf.float32, shape), line()
    with pytest.raises(TypeError, match=message) as caught:
        for _ in x:
            pass
    if shape != []:
        assert f"{__file__}:{made}" in str(caught.value)
        assert "tf.while_loop" in str(caught.value)


def test_eval_uses_the_current_or_the_given_session():
    x = tf.placeholder(tf.float32, [])
    y = x * 2.0
    with tf.Session() as session:
        assert y.eval({x: 3.0}) == 6.0
    session = tf.Session()
    assert y.eval(feed_dict={x: 4.0}, session=session) == 8.0
    with session.as_default():
        assert y.eval({x: 5.0}) == 10.0


def test_eval_needs_a_session_of_the_same_graph():
    x = tf.constant(1)
    with pytest.raises(ValueError, match="no current session"):
        x.eval()
    with tf.Session(graph=tf.Graph()), pytest.raises(ValueError, match="another graph"):
        x.eval()
