"""Frames and series of pandas as inputs."""

from typing import Any

import numpy as np
import pytest

import tpuref as tf

pandas: Any = pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture
def frame():
    return pandas.DataFrame({"a": [1, 2, 3, 4], "b": [0.5, 1.5, 2.5, 3.5]})


def test_a_frame_is_a_matrix(frame, session):
    x = tf.convert_to_tensor(frame)
    assert x.dtype == tf.float64 and x.shape.as_list() == [4, 2]
    assert session.run(x).tolist() == frame.to_numpy().tolist()
    y = tf.placeholder(tf.float32, [None, 2])
    assert session.run(y, {y: frame}).dtype == np.float32


def test_a_series_is_a_vector(frame, session):
    x, y = tf.convert_to_tensor(frame.a), tf.placeholder(tf.float64, [4])
    assert x.dtype == tf.int64
    assert session.run([x, y], {y: frame.b})[1].tolist() == [0.5, 1.5, 2.5, 3.5]
    text = tf.convert_to_tensor(pandas.Series(["a", "bc"]))
    assert session.run(text).tolist() == [b"a", b"bc"]
    category = pandas.Series(["a", "b", "a"], dtype="category")
    assert session.run(tf.convert_to_tensor(category.cat.codes)).tolist() == [0, 1, 0]
    whole = pandas.Series([1, 2], dtype="Int64")
    assert session.run(tf.convert_to_tensor(whole)).tolist() == [1, 2]


def test_a_frame_as_shards(frame, executor, session):
    (out,) = tf.tpu.shard(lambda x: tf.reduce_sum(x, 1), [frame], num_shards=2)
    assert session.run(out).tolist() == [1.5, 3.5, 5.5, 7.5]


def elements(dataset, session):
    following = dataset.make_one_shot_iterator().get_next()
    return [session.run(following) for _ in range(2)]


def test_datasets_of_rows_and_of_columns(frame, session):
    slices = tf.data.Dataset.from_tensor_slices
    assert elements(slices(frame), session)[1].tolist() == [2.0, 1.5]
    by_name = [{"a": 1, "b": 0.5}, {"a": 2, "b": 1.5}]
    assert elements(slices(dict(frame)), session) == by_name
    assert elements(slices(frame.a), session) == [1, 2]
    both = slices((frame[["b"]].to_numpy(), frame.a))
    assert elements(both, session)[0][0].tolist() == [0.5]


def test_mixed_columns_have_no_single_type(frame, session):
    frame["c"] = list("wxyz")
    with pytest.raises(TypeError, match="DataFrame .*all numbers or all text"):
        tf.convert_to_tensor(frame)
    x = tf.placeholder(tf.float32, [None, 3])
    with pytest.raises(TypeError, match="cannot feed .*expected float32|all numbers"):
        session.run(x, {x: frame})
    first = elements(tf.data.Dataset.from_tensor_slices(dict(frame)), session)[0]
    assert first == {"a": 1, "b": 0.5, "c": b"w"}


@pytest.mark.parametrize(
    "values", [["a", None], [1, "a"], [pandas.Timestamp("2020-01-01")]]
)
def test_series_without_an_element_type(values):
    with pytest.raises(TypeError, match="convert_to_tensor"):
        tf.convert_to_tensor(pandas.Series(values))
