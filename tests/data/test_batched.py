"""Functions that are run for a whole batch: nobody can tell the difference."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.data import function

from .elements import example

ROWS = np.random.default_rng(5).normal(size=[7, 2, 3]).astype(np.float32)
NUMBERS = np.arange(7, dtype=np.int32)


def batches(function, size=3, **options):
    dataset = tf.data.Dataset.from_tensor_slices((ROWS, NUMBERS))
    return list(dataset.map(function).batch(size, **options).as_numpy_iterator())


FUNCTIONS = {
    "arithmetic": lambda x, n: (x * 2.0 - 1.0) / tf.exp(x),
    "functions": lambda x, n: tf.tanh(tf.sin(x)) + tf.sqrt(tf.abs(x)) ** 1.5,
    "ranks": lambda x, n: x * tf.cast(n, tf.float32) + tf.constant([1.0, 2.0, 3.0]),
    "more ranks": lambda x, n: tf.cast(n, tf.float32) - tf.ones([4, 2, 3]),
    "constant": lambda x, n: tf.constant([1, 2]),
    "comparison": lambda x, n: tf.logical_and(x > 0.0, tf.equal(n % 2, 0)),
    "reshape": lambda x, n: tf.reshape(x, [3, -1, 1]) + 1.0,
    "other operations": lambda x, n: tf.one_hot(n, 9) * tf.reduce_sum(x),
    "transposed": lambda x, n: tf.transpose(x),
    "matmul": lambda x, n: tf.matmul(x, tf.ones([3, 2])),
    "select": lambda x, n: tf.where([True, False], x, -x),
    "gathered": lambda x, n: tf.gather([5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0], n),
    "texts": lambda x, n: tf.decode_raw(
        tf.gather([b"ab", b"cd", b"ef"], n % 3), "uint8"
    ),
    "reshaped by itself": lambda x, n: tf.reshape(x, tf.stack([n * 0 + 6])),
    "nothing": lambda x, n: n,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_are_those_of_single_elements(name):
    function = FUNCTIONS[name]
    rows = [row for batch in batches(function) for row in batch]
    dataset = tf.data.Dataset.from_tensor_slices((ROWS, NUMBERS)).map(function)
    for row, alone in zip(rows, dataset.as_numpy_iterator(), strict=True):
        assert row.dtype == alone.dtype and row.shape == alone.shape
        assert np.array_equal(row, alone)


@pytest.fixture
def count_batches(monkeypatch):
    """Whether each batch was computed at once."""
    at_once = []
    original = function.Function.batch

    def batch(self, items, current):
        result = original(self, items, current)
        at_once.append(result is not None)
        return result

    monkeypatch.setattr(function.Function, "batch", batch)
    return at_once


def test_structures_and_the_last_batch(count_batches):
    found = batches(lambda x, n: {"n": n + 1, "x": (x[0], n)}, 4)
    assert [batch["n"].tolist() for batch in found] == [[1, 2, 3, 4], [5, 6, 7]]
    assert np.array_equal(found[1]["x"][0], ROWS[4:, 0])
    assert len(batches(lambda x, n: n, 4, drop_remainder=True)) == 1
    assert count_batches == [True] * 4


def test_what_has_effects_is_run_alone(count_batches):
    seen = []

    def noted(value):
        seen.append(value)
        return value

    tf.set_random_seed(4)
    found = batches(lambda x, n: tf.py_func(noted, [n], tf.int32))
    drawn = np.concatenate(batches(lambda x, n: tf.random_uniform([])))
    assert seen == list(range(7)) and found[1].tolist() == [3, 4, 5]
    assert len(set(drawn.tolist())) == 7
    assert not any(count_batches)


def test_values_from_outside(count_batches, session):
    factor = tf.placeholder(tf.float32, [3])
    dataset = tf.data.Dataset.from_tensor_slices(ROWS).map(lambda x: x * factor)
    iterator = dataset.batch(5).make_initializable_iterator()
    value = iterator.get_next()
    for numbers in ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]):
        session.run(iterator.initializer, {factor: numbers})
        assert np.array_equal(
            session.run(value), ROWS[:5] * np.array(numbers, np.float32)
        )
    assert all(count_batches)


def test_an_element_at_fault():
    def failing(x, n):
        return tf.decode_raw(tf.gather([b"abcd", b"ab", b"abc"], n), tf.int16)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\] bytes"):
        batches(failing)
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes"):
        batches(failing, 2)


@pytest.mark.parametrize("size", [1, 5])
def test_examples(size, count_batches):
    records = []
    for k in range(5):
        label = {} if k == 3 else {"label": [k]}
        pixels, weights = [bytes([k, k + 1])], [k / 2, k / 4]
        records.append(example(pixels=pixels, weights=weights, **label))
    described = {
        "label": tf.FixedLenFeature([], tf.int64, default_value=-1),
        "pixels": tf.FixedLenFeature([], tf.string),
        "weights": tf.FixedLenFeature([1, 2], tf.float32),
    }

    def parse(record):
        found = tf.parse_single_example(record, described)
        found["pixels"] = tf.cast(tf.decode_raw(found["pixels"], tf.uint8), tf.int32)
        return found

    dataset = tf.data.Dataset.from_tensor_slices(records).map(parse).batch(size)
    found = list(dataset.as_numpy_iterator())
    whole = {name: np.concatenate([b[name] for b in found]) for name in described}
    assert whole["label"].tolist() == [0, 1, 2, -1, 4]
    assert whole["label"].dtype == np.int64
    assert whole["pixels"].tolist() == [[k, k + 1] for k in range(5)]
    assert whole["weights"].tolist() == [[[k / 2, k / 4]] for k in range(5)]
    assert all(count_batches)
