"""Datasets of datasets, and the transformations of tf.data.experimental."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.base import error_codes as codes

from .elements import lists

Dataset = tf.data.Dataset


@pytest.mark.parametrize(
    ("cycle", "block", "expected"),
    [  # as TensorFlow 1.15.5 gives them
        (1, 1, [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]),
        (2, 1, [1, 2, 2, 3, 3, 4, 3, 4, 4, 4]),
        (3, 2, [1, 2, 2, 3, 3, 4, 4, 3, 4, 4]),
        (9, 3, [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]),
    ],
)
def test_orders(cycle, block, expected):
    def repeated(x):
        return Dataset.from_tensors(x).repeat(x)

    assert lists(Dataset.range(1, 5).interleave(repeated, cycle, block)) == expected
    apply = tf.data.experimental.parallel_interleave(repeated, cycle, block)
    assert lists(Dataset.range(1, 5).apply(apply)) == expected


def test_inner_functions_and_values_from_outside(evaluate):
    base = tf.placeholder(tf.int64, [])
    scale = tf.get_variable("scale", initializer=tf.constant(10, tf.int64))

    def inner(pair):
        rows = Dataset.range(pair["n"]).map(lambda x: x * scale + pair["k"] + base)
        return rows.batch(2)

    pairs = {"n": np.int64([3, 1]), "k": np.int64([1, 2])}
    dataset = Dataset.from_tensor_slices(pairs).flat_map(inner)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    for start in (100, 200):
        evaluate(iterator.initializer, {base: start})
        found = [evaluate(element).tolist() for _ in range(3)]
        assert found == [[start + 1, start + 11], [start + 21], [start + 2]]


def test_a_function_that_returns_no_dataset():
    with pytest.raises(TypeError, match=codes.WRONG_ARGUMENT_TYPE):
        Dataset.range(3).flat_map(lambda x: x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cycle_length"):
        lists(Dataset.range(3).interleave(Dataset.range, 0))


def test_fused_transformations():
    contrib = tf.contrib.data
    eight = Dataset.range(8)
    doubled = contrib.map_and_batch(lambda x: 2 * x, 3, drop_remainder=True)
    assert lists(eight.apply(doubled)) == [[0, 2, 4], [6, 8, 10]]
    assert lists(eight.apply(contrib.batch_and_drop_remainder(5))) == [[0, 1, 2, 3, 4]]
    shuffled = lists(eight.apply(contrib.shuffle_and_repeat(8, 2, seed=1)))
    assert sorted(shuffled) == sorted([*range(8), *range(8)])
    assert lists(eight.map(lambda x: x, contrib.AUTOTUNE).prefetch(tf.data.AUTOTUNE))


def test_files_that_match(tmp_path):
    for name in ("b", "a", "c"):
        with tf.python_io.TFRecordWriter(str(tmp_path / f"{name}.rec")) as writer:
            for k in range(2):
                writer.write(f"{name}{k}".encode())
    paths = Dataset.list_files(str(tmp_path / "*.rec"), shuffle=False)
    records = paths.interleave(tf.data.TFRecordDataset, cycle_length=2)
    assert lists(records) == [b"a0", b"b0", b"a1", b"b1", b"c0", b"c1"]
    shuffled = Dataset.list_files([str(tmp_path / "*.rec")], seed=3)
    assert sorted(lists(shuffled)) == sorted(lists(paths))
    with pytest.raises(tf.errors.InvalidArgumentError, match="no files match"):
        Dataset.list_files(str(tmp_path / "*.txt"))


def test_interleaving_at_once(eager):
    dataset = Dataset.range(1, 4).flat_map(
        lambda n: Dataset.range(n).map(lambda x: x + n)
    )
    assert [int(x) for x in dataset] == [1, 2, 3, 3, 4, 5]


def test_options_have_no_effect():
    options = tf.data.Options()
    options.experimental_deterministic = False
    off = tf.data.experimental.AutoShardPolicy.OFF
    options.experimental_distribute.auto_shard_policy = off
    dataset = Dataset.range(3)
    assert dataset.with_options(options) is dataset
    with pytest.raises(TypeError, match="expected tf.data.Options, got 1"):
        dataset.with_options(1)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    assert int(tf.Session().run(element)) == 0
