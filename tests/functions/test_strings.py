"""Texts; what is expected is what TensorFlow 1.15.5, 2.4.4 and 2.21 return."""

import numpy as np
import pytest

import tpuref as tf


def value(tensor):
    return np.asarray(tf.Session().run(tensor)).tolist()


def test_join():
    assert value(tf.strings.join(["a", ["b", "c"], "d"], "-")) == [b"a-b-d", b"a-c-d"]
    assert value(tf.strings.join([[["a"]], [["é"]]])) == [["aé".encode()]]
    assert value(tf.strings.join(["a"])) == b"a"
    both = tf.strings.join([tf.constant(["a", "b"]), "é"], separator=" ")
    assert both.shape.as_list() == [2]
    assert value(both) == ["a é".encode(), "b é".encode()]
    for inputs in ([], [["a", "b"], ["b", "c", "d"]], [[["a"], ["b"]], ["b", "c"]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="one shape"):
            tf.strings.join(inputs)


REPLACED = [
    ("Tags.<br /><b>html</b>", "<[^>]+>", " ", b"Tags.  html "),
    ("x-y", "([a-z])-([a-z])", r"\2+\1", b"y+x"),
    ("abxd", "x*", "-", b"-a-b-d-"),
    ("xx", "x*", "-", b"-"),
    ("aé€", ".", ".", b"..."),
    ("abc", "(b)", r"[\0\\]", b"a[b\\]c"),
    ("abc", "(b)|(z)", r"<\2\1>", b"a<b>c"),
    ("a1b\u0663", r"\d", "N", "aNb\u0663".encode()),
    ("a\nb", "^b|a.b", "X", b"a\nb"),
]


@pytest.mark.parametrize(("text", "pattern", "rewrite", "expected"), REPLACED)
def test_regex_replace(text, pattern, rewrite, expected):
    assert value(tf.strings.regex_replace(text, pattern, rewrite)) == expected


def test_regex_replace_of_a_tensor():
    texts = tf.constant([["abc abc", "b"]])
    first = tf.strings.regex_replace(texts, "b", "X", replace_global=False)
    assert (first.shape.as_list(), value(first)) == ([1, 2], [[b"aXc abc", b"X"]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="regular expression"):
        tf.strings.regex_replace("abc", "(", "x")


INF = [np.inf] * 2


@pytest.mark.parametrize(
    ("texts", "dtype", "expected"),
    [
        (["1.5", " -2e3 ", "inf", "1e50", ".5"], "float32", [1.5, -2e3, *INF, 0.5]),
        (["1e50", "0.1"], "float64", [1e50, 0.1]),
        (["12", " -7 ", "2147483647"], "int32", [12, -7, 2147483647]),
        ("9999999999", "int64", 9999999999),
        ("2147483648", "int32", None),
        ("1.5", "int32", None),
        *((text, "float32", None) for text in ("1_0", "x", "", "1 2")),
    ],
)  # fmt: skip
def test_numbers_of_texts(texts, dtype, expected):
    numbers = tf.strings.to_number(texts, dtype)
    if expected is not None:
        assert value(numbers) == expected
    else:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"number of {dtype}"):
            value(numbers)


def test_in_a_dataset_and_in_eager_mode():
    data = tf.data.Dataset.from_tensor_slices(["a-b", "c"])
    data = data.map(
        lambda x: tf.strings.join([x, tf.strings.regex_replace(x, "-", "")])
    )
    assert list(data.as_numpy_iterator()) == [b"a-bab", b"cc"]
    with tf.eager_execution():
        assert tf.strings.join(["a", "b"]).numpy() == b"ab"
