"""Sparse tensors in datasets: what TensorFlow 1.15.5 gives."""

import pytest

import tpuref as tf

from .elements import elements, example


def numbers_and_texts(count):
    lists = {"numbers": [*range(count)], "texts": [b"x"] * (count % 2)}
    return example(**{name: values for name, values in lists.items() if values})


def parsed(text):
    features = tf.parse_single_example(
        text,
        {"numbers": tf.VarLenFeature(tf.int64), "texts": tf.VarLenFeature(tf.string)},
    )
    numbers = features["numbers"]
    return numbers, {"size": numbers.dense_shape[0], "texts": features["texts"]}


@pytest.fixture
def dataset():
    examples = [numbers_and_texts(count) for count in (3, 1, 0, 4, 2)]
    parts = tf.data.Dataset.from_tensor_slices(examples).map(parsed)
    return parts.shuffle(1).prefetch(2)


def test_what_elements_are_like(dataset, session):
    numbers, others = dataset.output_classes
    assert (numbers, others["size"]) == (tf.SparseTensor, tf.Tensor)
    assert dataset.output_types == (tf.int64, {"size": tf.int64, "texts": tf.string})
    assert dataset.output_shapes[0].as_list() == [None]
    batch = dataset.batch(2)
    assert batch.output_shapes[0].as_list() == [None, None]
    numbers, others = batch.make_one_shot_iterator().get_next()
    assert isinstance(numbers, tf.SparseTensor)
    assert numbers.indices.shape.as_list() == [None, 2]
    assert others["size"].shape.as_list() == [None]
    assert session.run(numbers).values.tolist() == [0, 1, 2, 0]


def test_a_batch_is_as_large_as_its_largest_element(dataset):
    found = [
        (numbers.indices.tolist(), numbers.values.tolist(),
         numbers.dense_shape.tolist(), others["size"].tolist(),
         others["texts"].values.tolist(), others["texts"].dense_shape.tolist())
        for numbers, others in elements(dataset.batch(2))
    ]  # fmt: skip
    assert found == [
        ([[0, 0], [0, 1], [0, 2], [1, 0]], [0, 1, 2, 0], [2, 3], [3, 1], [b"x"] * 2,
         [2, 1]),
        ([[1, 0], [1, 1], [1, 2], [1, 3]], [0, 1, 2, 3], [2, 4], [0, 4], [], [2, 0]),
        ([[0, 0], [0, 1]], [0, 1], [1, 2], [2], [], [1, 0]),
    ]  # fmt: skip


def test_batches_become_dense_in_a_function(dataset):
    def dense(numbers, others):
        return tf.sparse.to_dense(numbers, default_value=-1), others["size"]

    batches = dataset.repeat(2).batch(3, drop_remainder=True).map(dense)
    assert [[part.tolist() for part in pair] for pair in elements(batches)] == [
        [[[0, 1, 2], [0, -1, -1], [-1, -1, -1]], [3, 1, 0]],
        [[[0, 1, 2, 3], [0, 1, -1, -1], [0, 1, 2, -1]], [4, 2, 3]],
        [[[0, -1, -1, -1], [-1, -1, -1, -1], [0, 1, 2, 3]], [1, 0, 4]],
    ]


def test_functions_take_and_iterators_give_sparse_tensors(dataset):
    several = dataset.filter(lambda numbers, others: others["size"] > 1)
    numbers = several.map(lambda numbers, others: numbers)
    assert [value.dense_shape.tolist() for value in elements(numbers)] == [
        [3],
        [4],
        [2],
    ]
    assert isinstance(next(iter(dataset.as_numpy_iterator()))[0], tf.SparseTensorValue)
    with pytest.raises(TypeError, match="the elements have sparse tensors"):
        numbers.padded_batch(2, [None])
