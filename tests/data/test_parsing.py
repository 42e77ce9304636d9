"""Features of serialized examples, and raw bytes."""

import pytest

import tpuref as tf
from tpuref.base import error_codes as codes

from .elements import example

FIRST = example(x=[1.0, 2.0, 3.0, 4.0], label=[7], words=[b"a", b"bc"], rows=[1, 2])
SECOND = example(x=[5.0, 6.0, 7.0, 8.0], words=[b"d"], rows=[3, 4, 5, 6])
FEATURES = {
    "x": tf.FixedLenFeature([2, 2], tf.float32),
    "label": tf.FixedLenFeature([], tf.int64, default_value=-1),
    "words": tf.VarLenFeature(tf.string),
    "rows": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
    "none": tf.VarLenFeature(tf.float32),
}


def test_one_example(evaluate):
    parsed = tf.io.parse_single_example(FIRST, FEATURES)
    assert parsed["x"].shape.as_list() == [2, 2]
    assert parsed["rows"].shape.as_list() == [None, 2]
    assert parsed["words"].dtype == tf.string
    found = evaluate(parsed)
    assert found["x"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert found["label"] == 7 and found["rows"].tolist() == [[1, 2]]
    assert found["words"].indices.tolist() == [[0], [1]]
    assert found["words"].values.tolist() == [b"a", b"bc"]
    assert found["words"].dense_shape.tolist() == [2]
    assert found["none"].values.shape == (0,)
    assert evaluate(tf.parse_single_example(SECOND, FEATURES)["label"]) == -1


def test_a_batch_of_examples(evaluate):
    found = tf.parse_example([FIRST, SECOND], FEATURES)
    dense = tf.sparse.to_dense(found["words"], default_value="?")
    assert dense.shape.as_list() == [None, None]
    assert evaluate(dense).tolist() == [[b"a", b"bc"], [b"d", b"?"]]
    assert evaluate(found["label"]).tolist() == [7, -1]
    assert evaluate(found["rows"]).tolist() == [[[1, 2], [0, 0]], [[3, 4], [5, 6]]]
    assert evaluate(found["x"]).shape == (2, 2, 2)


NUMBER = tf.FixedLenFeature([], tf.int64)
THREE = tf.FixedLenFeature([3], tf.float32)
ROWS_OF_3 = tf.FixedLenSequenceFeature([3], tf.float32, True)


@pytest.mark.parametrize(
    ("text", "name", "feature", "expected"),
    [
        (FIRST, "x", THREE, "4 values of the feature 'x'"),
        (FIRST, "x", NUMBER, "is a float_list, expected a int64_list"),
        (FIRST, "x", ROWS_OF_3, "a multiple of the 3"),
        (SECOND, "label", NUMBER, "no feature 'label'"),
        (b"\xff\xff", "label", NUMBER, "no tf.train.Example"),
    ],
    ids=["few", "kind", "rows", "missing", "damaged"],
)
def test_examples_that_are_otherwise(text, name, feature, expected, evaluate):
    parsed = tf.parse_single_example(text, {name: feature})
    with pytest.raises(tf.errors.InvalidArgumentError, match=expected):
        evaluate(parsed)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({}, "at least one feature"),
        ({"x": tf.FixedLenFeature([], tf.int32)}, "examples hold float32, int64"),
        ({"x": tf.FixedLenFeature([None], tf.int64)}, "must be fully known"),
        ({"x": tf.FixedLenSequenceFeature([], tf.int64)}, "needs allow_missing=True"),
        ({"x": tf.TensorSpec([], tf.int64)}, "must be a tf.FixedLenFeature"),
    ],
)
def test_features_that_are_refused(features, expected):
    with pytest.raises(ValueError, match=expected) as raised:
        tf.parse_single_example(FIRST, features)
    assert codes.INVALID_FEATURE in str(raised.value)


def test_raw_bytes(evaluate):
    texts = [b"\x01\x02\x03\x04", b"\x05\x06\x07\x08"]
    big = tf.decode_raw(texts, tf.uint16, little_endian=False)
    assert big.shape.as_list() == [2, None]
    assert evaluate(big).tolist() == [[0x0102, 0x0304], [0x0506, 0x0708]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="same multiple of the 4"):
        evaluate(tf.decode_raw([b"1234", b"12345678"], tf.int32))


def test_sequences_of_examples():
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2]))
    several = tf.train.FeatureList(feature=[feature])
    lists = tf.train.FeatureLists(feature_list={"f": several})
    made = tf.train.SequenceExample(feature_lists=lists)
    again = tf.train.SequenceExample.FromString(made.SerializeToString())
    assert again.feature_lists.feature_list["f"].feature[0].int64_list.value[1] == -2
    assert isinstance(again, tf.train.SequenceExample)
    assert not isinstance(again, tf.train.Example)
