"""What becomes of elements; shapes, types and errors as in releases 1.11 and 1.15."""

import gzip
from collections import namedtuple

import numpy as np
import pytest

import tpuref as tf

from .elements import described, elements, lists

Dataset = tf.data.Dataset
Pair = namedtuple("Pair", "a b")
InvalidArgument = tf.errors.InvalidArgumentError


def ragged():
    """Return [0], [0, 1], [0, 1, 2], [0, 1, 2, 3]."""
    return Dataset.range(1, 5).map(lambda n: tf.range(n))


@pytest.mark.parametrize(
    ("function", "shapes", "types", "first"),
    [
        (lambda x: x * 2, [], "int64", 4),
        (lambda x: (x, x + 1), ([], []), ("int64", "int64"), (2, 3)),
        (lambda x: [x, 1.5], ([], []), ("int64", "float32"), (2, 1.5)),
        (lambda x: {"a": x}, {"a": []}, {"a": "int64"}, {"a": 2}),
        (lambda x: 7, [], "int32", 7),
        (lambda x: "s", [], "string", b"s"),
        (lambda x: np.ones(2), [2], "float64", [1.0, 1.0]),
        (lambda x: tf.stack([x, x]), [2], "int64", [2, 2]),
        (lambda x: tf.range(x), [None], "int64", [0, 1]),
        (lambda x: ((x,), {"q": x}), (([],), {"q": []}),
         (("int64",), {"q": "int64"}), ((2,), {"q": 2})),
    ],
)  # fmt: skip
def test_map(function, shapes, types, first):
    dataset = Dataset.range(2, 4).map(function, num_parallel_calls=4)
    assert described(dataset) == (shapes, types)
    assert lists(dataset)[0] == first


def test_a_tuple_is_several_arguments_and_all_else_is_one():
    def count(*arguments):
        return len(arguments)

    for structure, expected in [
        (([1], [2]), 2),
        ({"a": [1], "b": [2]}, 1),
        (Pair([1], [2]), 1),
        (([1], ([2], [3])), 2),
        ([1], 1),
    ]:
        assert lists(Dataset.from_tensor_slices(structure).map(count)) == [expected]


@pytest.mark.parametrize("function", [None, 3, lambda x: None, lambda x: tf.no_op()])
def test_functions_that_give_no_element(function):
    with pytest.raises(TypeError):
        Dataset.range(1).map(function)


def test_an_element_without_components():
    with pytest.raises(ValueError, match="must have a component"):
        Dataset.range(1).map(lambda x: ())


@pytest.mark.parametrize("ahead", [0, 3])
def test_errors_of_a_function_name_its_operation_and_line(ahead, session):
    dataset = Dataset.range(4).map(lambda x: 6 // (x - 1)).prefetch(ahead)
    value = dataset.make_one_shot_iterator().get_next()
    assert session.run(value) == -6
    with pytest.raises(InvalidArgument, match="division by zero") as caught:
        session.run(value)
    assert "6 // (x - 1)" in str(caught.value)


def test_random_draws_differ_by_element_and_repeat_with_a_seed():
    dataset = Dataset.range(4).map(lambda x: tf.random_uniform([], seed=5))
    first, second = lists(dataset), lists(dataset)
    assert len(set(first)) == 4 and first == second


def test_functions_call_python_and_read_what_is_around_them(evaluate):
    factor = tf.placeholder(tf.float32, [])
    variable = tf.Variable(10.0)

    def function(x):
        called = tf.py_func(lambda a: a + 1, [x], tf.float32)
        return called * factor + variable.read_value()

    dataset = Dataset.from_tensor_slices([1.0, 2.0]).map(function).repeat()
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    evaluate(iterator.initializer, {factor: 2.0})
    assert evaluate(value) == 14.0
    evaluate(variable.assign(100.0))
    assert evaluate(value) == 106.0


def test_tensors_of_a_function_belong_to_it():
    leaked = []
    Dataset.range(3).map(lambda x: leaked.append(x) or x)
    with pytest.raises(ValueError, match="inside the function of Dataset.map"):
        _ = leaked[0] + 1


def test_filter():
    assert lists(Dataset.range(6).filter(lambda x: x % 2 > 0)) == [1, 3, 5]
    pairs = Dataset.from_tensor_slices(([1, 2], [2, 1]))
    assert lists(pairs.filter(lambda a, b: a > b)) == [(2, 1)]
    assert lists(pairs.take_while(lambda a, b: a < b)) == [(1, 2)]
    assert lists(Dataset.range(6).take_while(lambda x: x % 4 < 3)) == [0, 1, 2]
    assert lists(Dataset.range(6).take_while(lambda x: x < 9)) == [*range(6)]


@pytest.mark.parametrize("function", [lambda x: x, lambda x: (x > 1, x), lambda x: [1]])
def test_filter_by_what_is_no_truth(function):
    with pytest.raises(ValueError, match="scalar bool tensor"):
        Dataset.range(3).filter(function)
    with pytest.raises(ValueError, match=r"Dataset.take_while: .* scalar bool tensor"):
        Dataset.range(3).take_while(function)


@pytest.mark.parametrize(
    ("count", "taken", "skipped", "repeated"),
    [
        (0, 0, 3, 0),
        (1, 1, 2, 3),
        (2, 2, 1, 6),
        (7, 3, 0, 21),
        (-1, 3, 0, 30),
        (True, 1, 2, 3),
    ],
)
def test_counts(count, taken, skipped, repeated):
    dataset = Dataset.range(3)
    assert lists(dataset.take(count)) == [0, 1, 2][:taken]
    assert lists(dataset.skip(count)) == [0, 1, 2][3 - skipped :]
    assert lists(dataset.repeat(count).take(30)) == ([0, 1, 2] * 10)[:repeated]


def test_repeating_nothing_ends():
    assert lists(Dataset.range(0).repeat()) == []


@pytest.mark.parametrize("count", ["a", 2.5])
@pytest.mark.parametrize(
    "method", ["take", "skip", "repeat", "batch", "prefetch", "shuffle"]
)
def test_counts_that_are_none(method, count):
    with pytest.raises(TypeError, match=f"Dataset.{method}: expected an integer"):
        getattr(Dataset.range(3), method)(count)


@pytest.mark.parametrize("method", ["batch", "shuffle"])
@pytest.mark.parametrize("size", [0, -1])
def test_sizes_have_to_be_positive(method, size):
    with pytest.raises(InvalidArgument, match="must be greater than zero"):
        elements(getattr(Dataset.range(3), method)(size))


def test_counts_that_are_known_later():
    count = tf.placeholder(tf.int64, [])
    dataset = Dataset.range(7).take(count).repeat(count).batch(count)
    assert lists(dataset, {count: 2}) == [[0, 1], [0, 1]]
    assert lists(dataset, {count: 3}) == [[0, 1, 2], [0, 1, 2], [0, 1, 2]]


def test_shuffled_order_is_given_by_the_seed():
    dataset = Dataset.range(20).shuffle(20, seed=3)
    order = lists(dataset)
    assert order != list(range(20)) and sorted(order) == list(range(20))
    assert lists(dataset) == order
    assert lists(Dataset.range(20).shuffle(20, seed=4)) != order


def test_shuffled_order_without_a_seed():
    assert len({tuple(lists(Dataset.range(50).shuffle(50))) for _ in range(3)}) == 3
    tf.set_random_seed(1)
    first = lists(Dataset.range(50).shuffle(50, seed=2))
    tf.set_random_seed(9)
    assert lists(Dataset.range(50).shuffle(50, seed=2)) != first


def test_each_epoch_is_shuffled_anew_unless_refused():
    twice = lists(Dataset.range(20).shuffle(20, seed=3).repeat(2))
    assert twice[:20] != twice[20:] and sorted(twice[20:]) == list(range(20))
    fixed = Dataset.range(20).shuffle(20, reshuffle_each_iteration=False).repeat(2)
    twice = lists(fixed)
    assert twice[:20] == twice[20:]


@pytest.mark.parametrize(
    ("size", "drop", "shape", "expected"),
    [
        (2, False, [None], [[0, 1], [2, 3], [4]]),
        (2, True, [2], [[0, 1], [2, 3]]),
        (5, True, [5], [[0, 1, 2, 3, 4]]),
        (8, False, [None], [[0, 1, 2, 3, 4]]),
        (8, True, [8], []),
        (np.int64(3), False, [None], [[0, 1, 2], [3, 4]]),
    ],
)
def test_batch(size, drop, shape, expected):
    dataset = Dataset.range(5).batch(size, drop_remainder=drop)
    assert described(dataset)[0] == shape
    assert lists(dataset) == expected


def test_batch_of_structures():
    dataset = Dataset.from_tensor_slices({"x": [[1, 2], [3, 4]], "s": ["a", "b"]})
    assert described(dataset.batch(2, True))[0] == {"x": [2, 2], "s": [2]}
    assert lists(dataset.batch(2)) == [{"x": [[1, 2], [3, 4]], "s": [b"a", b"b"]}]


def test_batch_of_different_shapes():
    assert described(ragged().batch(2))[0] == [None, None]
    message = r"in component 0: the first element had shape \[1\] and element 1 had"
    with pytest.raises(InvalidArgument, match=message):
        elements(ragged().batch(2))
    assert lists(ragged().batch(1))[:2] == [[[0]], [[0, 1]]]


@pytest.mark.parametrize(
    ("shapes", "static", "expected"),
    [
        ([None], [None, None], [[[0, 0], [0, 1]], [[0, 1, 2, 0], [0, 1, 2, 3]]]),
        ([-1], [None, None], [[[0, 0], [0, 1]], [[0, 1, 2, 0], [0, 1, 2, 3]]]),
        (tf.TensorShape([5]), [None, 5],
         [[[0, 0, 0, 0, 0], [0, 1, 0, 0, 0]], [[0, 1, 2, 0, 0], [0, 1, 2, 3, 0]]]),
    ],
)  # fmt: skip
def test_padded_batch(shapes, static, expected):
    dataset = ragged().padded_batch(2, shapes)
    assert described(dataset)[0] == static
    assert lists(dataset) == expected


def test_padding_values_and_the_remainder():
    filled = ragged().padded_batch(3, [None], padding_values=7, drop_remainder=True)
    assert described(filled)[0] == [3, None]
    assert lists(filled) == [[[0, 7, 7], [0, 1, 7], [0, 1, 2]]]
    text = Dataset.from_tensor_slices(["a", "b"]).map(lambda s: tf.fill([1], s))
    assert lists(text.padded_batch(2, [2])) == [[[b"a", b""], [b"b", b""]]]


def test_padding_of_structures():
    both = ragged().map(lambda x: (x, {"q": tf.cast(x, tf.float32)})).take(2)
    padded = both.padded_batch(2, ([None], {"q": [3]}), (9, {"q": -1.0}))
    assert lists(padded) == [([[0, 9], [0, 1]], {"q": [[0, -1, -1], [0, 1, -1]]})]


def test_elements_too_large_for_the_padded_shape():
    with pytest.raises(tf.errors.DataLossError, match="padded_shapes gives 2"):
        elements(ragged().padded_batch(2, [2]))
    with pytest.raises(ValueError, match="smaller than the component"):
        Dataset.from_tensor_slices([[1, 2]]).padded_batch(1, [1])


def test_samples_of_several_datasets():
    many = Dataset.range(600).map(lambda x: {"x": x, "y": [0]})
    few = Dataset.range(1000, 1200).map(lambda x: {"x": x, "y": [1, 2]})
    sample = tf.data.experimental.sample_from_datasets
    dataset = sample([many, few], [0.75, 0.25], seed=3)
    assert str(dataset.output_shapes["y"]) == "(?,)"
    found = [int(element["x"]) for element in dataset.as_numpy_iterator()]
    assert [x for x in found if x < 1000] == list(range(600))
    assert [x for x in found if x >= 1000] == list(range(1000, 1200))
    assert 60 < sum(x >= 1000 for x in found[:400]) < 140
    with pytest.raises(ValueError, match="for each of the 2 datasets"):
        sample([many, few], [1.0])
    with pytest.raises(TypeError, match="the same types"):
        sample([Dataset.range(3), Dataset.from_tensor_slices([1.0])])


def test_a_cache_is_kept_in_memory():
    with pytest.raises(NotImplementedError, match="kept in memory"):
        tf.data.Dataset.range(3).cache("file")


def test_parameters_of_tensorflow_2(tmp_path):
    def rows():
        yield [1]
        yield [2, 3]

    data = tf.data.Dataset
    signature = tf.TensorSpec([None], tf.int32)
    ragged = data.from_generator(rows, output_signature=signature, name="rows")
    (padded,) = ragged.padded_batch(2).as_numpy_iterator()
    assert padded.tolist() == [[1, 0], [2, 3]]
    pairs = data.zip(data.range(2), data.range(5, 9)).as_numpy_iterator()
    assert [tuple(map(int, pair)) for pair in pairs] == [(0, 5), (1, 6)]
    one = data.range(1).interleave(lambda x: data.range(3), deterministic=True)
    assert [int(x) for x in one.as_numpy_iterator()] == [0, 1, 2]
    file = tmp_path / "lines.gz"
    file.write_bytes(gzip.compress(b"one\ntwo\n"))
    lines = tf.data.TextLineDataset(str(file), "GZIP").as_numpy_iterator()
    assert [bytes(line) for line in lines] == [b"one", b"two"]
    parts = tf.data.FixedLengthRecordDataset(str(file), 4, compression_type="GZIP")
    assert [bytes(x) for x in parts.as_numpy_iterator()] == [b"one\n", b"two\n"]


def test_a_shard_has_each_nth_element():
    numbers = tf.data.Dataset.range(10)
    parts = [list(numbers.shard(3, k).as_numpy_iterator()) for k in range(3)]
    assert parts == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]
    with pytest.raises(ValueError, match="got num_shards 2 and index 2"):
        numbers.shard(2, 2)


def test_batches_become_rows_and_rows_have_numbers():
    parts = np.arange(8).reshape(4, 2), {"y": np.arange(4.0)}
    batches = Dataset.from_tensor_slices(parts).batch(3)
    experimental = tf.data.experimental
    rows = batches.apply(experimental.unbatch())
    expected = [(5 + k, ([2 * k, 2 * k + 1], {"y": float(k)})) for k in range(4)]
    assert lists(rows.apply(experimental.enumerate_dataset(5))) == expected
