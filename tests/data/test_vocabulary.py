"""Vocabularies, and elements that another dataset chooses; as TensorFlow 1.15.5."""

import pytest

import tpuref as tf
from tpuref.base import error_codes as codes

Dataset = tf.data.Dataset


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("the\t5\nof\t7\nand\t9\n")
    return str(path)


def table(path, **given):
    return tf.contrib.lookup.index_table_from_file(path, **given)


def test_words_have_the_numbers_of_their_lines_or_of_a_column(words):
    lines = table(words, num_oov_buckets=1, key_column_index=0)
    columns = table(words, default_value=-3, key_column_index=0, value_column_index=1)
    whole = table(tf.constant(words), vocab_size=2)
    keys = tf.constant([["the", "x"], ["and", "of"]])
    found = {
        "lines": lines.lookup(keys),
        "columns": columns.lookup(keys),
        "whole": whole.lookup(tf.constant(["of\t7", "and\t9"])),
        "sizes": tf.stack([lines.size(), whole.size()]),
    }
    with tf.train.SingularMonitoredSession() as session:
        values = session.run(found)
    assert {name: array.tolist() for name, array in values.items()} == {
        "lines": [[0, 3], [2, 1]],
        "columns": [[5, -3], [9, 7]],
        "whole": [1, -1],
        "sizes": [4, 2],
    }


def test_a_dataset_looks_numbers_up(tmp_path, session):
    path = tmp_path / "numbers.txt"
    path.write_text("10\n20\n30\n")
    numbers = table(str(path), key_dtype=tf.int64)
    data = Dataset.from_tensor_slices(tf.constant([30, 10, 40], tf.int64))
    iterator = data.map(numbers.lookup).batch(3).make_initializable_iterator()
    session.run([tf.tables_initializer(), iterator.initializer])
    assert session.run(iterator.get_next()).tolist() == [2, 0, -1]


@pytest.mark.parametrize(
    ("text", "given", "kind", "code"),
    [
        ("a\n", {"vocab_size": 2}, "InvalidArgumentError", codes.DAMAGED_FILE),
        ("a\n", {"key_column_index": 1}, "InvalidArgumentError",
         codes.DAMAGED_FILE),
        ("a\nb\na\n", {}, "FailedPreconditionError", codes.DAMAGED_FILE),
        (None, {}, "NotFoundError", codes.FILE_FAULT),
    ],
)  # fmt: skip
def test_a_file_that_is_no_vocabulary(tmp_path, text, given, kind, code):
    path = tmp_path / "words.txt"
    if text is not None:
        path.write_text(text)
    table(str(path), **given)
    with tf.Session() as session, pytest.raises(getattr(tf.errors, kind), match=code):
        session.run(tf.tables_initializer())


def test_what_a_table_refuses(words):
    found = table(words).lookup(tf.constant(["the"]))
    early = pytest.raises(tf.errors.FailedPreconditionError, match="not initialized")
    with tf.Session() as session, early:
        session.run(found)
    with pytest.raises(TypeError, match="must be string keys"):
        table(words).lookup(tf.constant([1]))
    with pytest.raises(ValueError, match="hasher_spec: expected None, got 'strong'"):
        table(words, num_oov_buckets=2, hasher_spec="strong")
    with pytest.raises(ValueError, match="num_oov_buckets: expected 0 or more"):
        table(words, num_oov_buckets=-1)
    with pytest.raises(ValueError, match="vocabulary_file: expected a path"):
        table(None)
    with pytest.raises(TypeError, match="key_dtype"):
        table(words, key_dtype=tf.float32)
    with pytest.raises(TypeError, match="vocab_size must be an integer"):
        table(words, vocab_size="2")


def test_tables_of_vectors(session):
    """Numbers recorded from 1.15.5, buckets of unknown words included."""
    lookup = tf.contrib.lookup
    spread = lookup.index_table_from_tensor(["the", "of", "and"], num_oov_buckets=3)
    numbers = lookup.index_table_from_tensor([10, 20, 30], 2, dtype=tf.int32)
    default = lookup.index_table_from_tensor([10, 20], 0, -7, dtype=tf.int32)
    keys = tf.constant(["and", "or", "zebra", "x", "y", "the", "hello"])
    wanted = {
        spread.lookup(keys): [2, 4, 5, 5, 5, 0, 4],
        numbers.lookup([30, 1, 2, 3, 4, 5]): [2, 4, 4, 4, 4, 4],
        default.lookup(tf.constant([20, 3], tf.int64)): [1, -7],
        spread.size(): 6,
    }  # fmt: skip
    twice = lookup.index_table_from_tensor(["a", "b", "a"]).initializer
    session.run([t.initializer for t in (spread, numbers, default)])
    assert [v.tolist() for v in session.run(list(wanted))] == [*wanted.values()]
    with pytest.raises(tf.errors.FailedPreconditionError, match="different values"):
        session.run(twice)
    for wrong in (None, [["a"]], tf.placeholder(tf.string, [None])):
        with pytest.raises(ValueError, match="expected a vector of known size"):
            lookup.index_table_from_tensor(wrong)


def chosen(datasets, choices):
    data = tf.data.experimental.choose_from_datasets(
        datasets, Dataset.from_tensor_slices(tf.constant(choices, tf.int64))
    )
    return [int(element) for element in data.as_numpy_iterator()]


def test_choices_of_exhausted_datasets_are_passed_over():
    single = Dataset.from_tensors(tf.constant(99, tf.int64))
    datasets = [Dataset.range(2), Dataset.range(7, 12), single]
    choices = [0, 1, 2, 2, 0, 0, 1, 0, 1, 1, 1, 1, 1]
    assert chosen(datasets, choices) == [0, 7, 99, 1, 8, 9, 10, 11]
    assert chosen([Dataset.range(1)], [0, 0, 5]) == [0]  # none is left


def test_choices_that_are_none():
    with pytest.raises(tf.errors.InvalidArgumentError, match="chose dataset 5 of 1"):
        chosen([Dataset.range(3)], [0, 5])
    with pytest.raises(TypeError, match="must be a dataset of int64 scalars"):
        tf.data.experimental.choose_from_datasets(
            [Dataset.range(2)], Dataset.from_tensor_slices([0, 1])
        )
    with pytest.raises(TypeError, match="elements of the same types"):
        chosen([Dataset.range(2), Dataset.from_tensors(1.0)], [0])
