"""Where elements come from; shapes, types and errors are those of releases 1.11, 1.15.

What differs: a generator's value that does not fit the declared type is an error, where
the releases cut it to size.
"""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import tpuref as tf

from .elements import described, elements, lists

Dataset = tf.data.Dataset
Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("value", "shapes", "types"),
    [
        (5, [], "int32"),
        (1.5, [], "float32"),
        ("x", [], "string"),
        (True, [], "bool"),
        ([[1.0, 2.0], [3.0, 4.0]], [2, 2], "float32"),
        ([], [0], "float32"),
        ((1, 2.0), ([], []), ("int32", "float32")),
        ([(1, 2), (3, 4)], [2, 2], "int32"),
        ({"b": 1, "a": [2, 3]}, {"b": [], "a": [2]}, {"b": "int32", "a": "int32"}),
        (({"x": [1]}, ([3], 4.0)), ({"x": [1]}, ([1], [])),
         ({"x": "int32"}, ("int32", "float32"))),
        (np.ones((2, 3)), [2, 3], "float64"),
        (np.arange(4, dtype=np.int8), [4], "int8"),
        ([1j, 2j], [2], "complex128"),
    ],
)  # fmt: skip
def test_one_element(value, shapes, types):
    dataset = Dataset.from_tensors(value)
    assert described(dataset) == (shapes, types)
    assert len(elements(dataset)) == 1


@pytest.mark.parametrize("value", [None, [[1], [1, 2]], (None, None), ()])
def test_no_element(value):
    message = "no tensor form|ragged|must have a component|has no rows"
    with pytest.raises(ValueError, match=message):
        Dataset.from_tensors(value)
    with pytest.raises(ValueError, match=message):
        Dataset.from_tensor_slices(value)


def test_none_is_a_component_without_values():
    dataset = Dataset.from_tensor_slices(([1, 2], None)).map(lambda x, y: (x + 1, y))
    with tf.eager_execution():
        assert [(int(x), y) for x, y in dataset] == [(2, None), (3, None)]
    assert dataset.element_spec[1] is None


SIGNATURE = (
    tf.compat.v2.SparseTensorSpec([None, 4], tf.float32),
    tf.compat.v2.RaggedTensorSpec([None, None], tf.int32),
    tf.compat.v2.OptionalSpec(None),
)


def test_a_generator_yields_sparse_and_ragged_tensors(eager):
    def values():
        ragged = tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 2])
        sparse = tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 4])
        yield sparse, ragged, tf.experimental.Optional.empty(None)

    dataset = Dataset.from_generator(values, output_signature=SIGNATURE)
    assert dataset.element_spec == SIGNATURE
    ((sparse, ragged, nothing),) = dataset.map(lambda *parts: parts)
    assert sparse.shape.as_list() == [2, 4] and ragged.to_list() == [[1], [2, 3]]
    assert tf.compat.v2.sparse.to_dense(sparse).numpy()[1, 2] == 2
    assert not nothing.has_value()


def test_a_generator_that_yields_other_kinds_is_told():
    with tf.eager_execution(), pytest.raises(tf.errors.InvalidArgumentError):
        next(iter(Dataset.from_generator(lambda: [1.0], output_signature=SIGNATURE[0])))


def test_rows():
    dataset = Dataset.from_tensor_slices({"x": [1, 2], "y": [["a", b"b"], ["c", "d"]]})
    shapes, types = described(dataset)
    assert shapes == {"x": [], "y": [2]} and types == {"x": "int32", "y": "string"}
    assert lists(dataset) == [{"x": 1, "y": [b"a", b"b"]}, {"x": 2, "y": [b"c", b"d"]}]


def test_structures_keep_their_types_and_order():
    (pair,) = elements(Dataset.from_tensors(Pair(1, 2)))
    assert type(pair) is Pair and pair == (1, 2)
    (ordered,) = elements(Dataset.from_tensors(OrderedDict([("z", 1), ("a", 2)])))
    assert type(ordered) is OrderedDict
    assert list(ordered.items()) == [("z", 1), ("a", 2)]


@pytest.mark.parametrize("value", [5, "x", (1, [2]), {"b": 1, "a": [2, 3]}])
def test_scalars_have_no_rows(value):
    with pytest.raises(ValueError, match="has no rows; use Dataset.from_tensors"):
        Dataset.from_tensor_slices(value)


def test_differing_numbers_of_rows():
    with pytest.raises(ValueError, match="differ in their number of rows"):
        Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))
    rows = tf.placeholder(tf.int32, [None])
    dataset = Dataset.from_tensor_slices((rows, [1, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3, 2\] rows"):
        elements(dataset, {rows: [1, 2, 3]})


def test_no_rows_at_all():
    dataset = Dataset.from_tensor_slices(np.zeros((0, 2), np.float32))
    assert described(dataset) == ([2], "float32") and elements(dataset) == []


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((3,), [0, 1, 2]),
        ((1, 4), [1, 2, 3]),
        ((0, 10, 3), [0, 3, 6, 9]),
        ((5, 0, -2), [5, 3, 1]),
        ((0,), []),
        ((-3,), []),
        ((True,), [0]),
        ((np.int32(2),), [0, 1]),
    ],
)
def test_range(bounds, expected):
    assert described(Dataset.range(*bounds)) == ([], "int64")
    assert lists(Dataset.range(*bounds)) == expected


def test_side_by_side():
    both = Dataset.zip((Dataset.range(2), {"b": Dataset.range(5, 9)}))
    assert described(both) == (([], {"b": []}), ("int64", {"b": "int64"}))
    assert lists(both) == [(0, {"b": 5}), (1, {"b": 6})]
    assert lists(Dataset.zip(Dataset.range(2))) == [0, 1]


@pytest.mark.parametrize("value", [[1], 3, (3,)])
def test_side_by_side_with_something_else(value):
    with pytest.raises(TypeError, match="expected a nested tuple or dict of datasets"):
        Dataset.zip(value)
    with pytest.raises(TypeError, match="write a list of datasets as a tuple"):
        Dataset.zip([Dataset.range(1)])


@pytest.mark.parametrize(
    ("values", "types", "shapes", "expected"),
    [
        ([1, 2], tf.int32, None, [1, 2]),
        ([1, 2], tf.float32, [], [1.0, 2.0]),
        (["a", b"b"], tf.string, None, [b"a", b"b"]),
        ([[1, 2], [3]], tf.int64, [None], [[1, 2], [3]]),
        ([(1, 2.0), (3, 4.0)], (tf.int32, tf.float32), None, [(1, 2.0), (3, 4.0)]),
        ([(1, [2.0])], (tf.int32, tf.float32), ([], [1]), [(1, [2.0])]),
        ([{"a": 1, "b": [2]}], {"a": tf.int32, "b": tf.int64}, {"a": [], "b": [1]},
         [{"a": 1, "b": [2]}]),
        ([np.float32(1.5)], tf.int32, None, [1]),
        ([], tf.int32, [], []),
    ],
)  # fmt: skip
def test_generator(values, types, shapes, expected):
    dataset = Dataset.from_generator(lambda: iter(values), types, shapes)
    assert lists(dataset) == expected
    assert lists(dataset.repeat(2)) == expected * 2


@pytest.mark.parametrize(
    ("value", "types", "shapes"),
    [
        (1, tf.int32, [2]),
        ([3], tf.int64, [2]),
        ("a", tf.int32, None),
        (1.5, tf.int32, None),
        (2**40, tf.int32, None),
        (-1, tf.uint8, None),
        (None, tf.int32, None),
        ([[1], [2, 3]], tf.int32, None),
        ((1,), (tf.int32, tf.float32), None),
        ((1, 2, 3), (tf.int32, tf.float32), None),
        ([1, 2.0], (tf.int32, tf.float32), None),
        ({"a": 1}, {"a": tf.int32, "b": tf.int64}, None),
    ],
)
def test_generator_that_does_not_fit(value, types, shapes):
    dataset = Dataset.from_generator(lambda: iter([value]), types, shapes)
    with pytest.raises(tf.errors.InvalidArgumentError, match="the generator yielded"):
        elements(dataset)


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ValueError, tf.errors.InvalidArgumentError),
        (TypeError, tf.errors.InvalidArgumentError),
        (RuntimeError, tf.errors.UnknownError),
        (KeyError, tf.errors.UnknownError),
        (NotImplementedError, tf.errors.UnimplementedError),
        (MemoryError, tf.errors.ResourceExhaustedError),
    ],
)
def test_generator_that_fails(raised, error, session):
    def generator():
        yield 1
        raise raised("broken")

    value = Dataset.from_generator(generator, tf.int32, []).make_one_shot_iterator()
    fetched = value.get_next()
    assert session.run(fetched) == 1
    for _ in range(2):  # a pass that failed did not come to its end
        with pytest.raises(error, match="the generator raised .*broken"):
            session.run(fetched)


def test_generator_with_arguments():
    count = tf.placeholder(tf.int32, [])
    dataset = Dataset.from_generator(lambda n: range(n), tf.int32, [], args=[count])
    assert lists(dataset, {count: 2}) == [0, 1]


def test_a_single_element(session):
    """As TensorFlow 2.4.4 and 2.21 answer."""
    single = tf.data.experimental.get_single_element
    size = tf.placeholder(tf.int64, [])
    value = single(tf.data.Dataset.range(size, size + 1).map(lambda n: {"n": n}))
    several = single(tf.data.Dataset.range(2))
    assert [session.run(value, {size: n}) for n in (3, 7)] == [{"n": 3}, {"n": 7}]
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"has more.*E025"):
            session.run(several)
    with tf.eager_execution():
        zipped = (tf.data.Dataset.range(3).batch(3), tf.data.Dataset.from_tensors(2.0))
        rows, two = single(tf.data.Dataset.zip(zipped))
        assert (rows.numpy().tolist(), float(two)) == ([0, 1, 2], 2.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="is empty"):
            single(tf.data.Dataset.range(0))

        @tf.function
        def traced(n):
            return single(tf.data.Dataset.range(n, n + 1))

        assert [int(traced(tf.constant(n, tf.int64))) for n in (3, 7)] == [3, 7]


def test_a_whole_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"\x00\xff\n")
    data = tf.data.Dataset.from_tensor_slices([str(path)] * 2).map(tf.io.read_file)
    assert list(data.as_numpy_iterator()) == [b"\x00\xff\n"] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        tf.io.read_file([str(path)])
    with pytest.raises(tf.errors.NotFoundError):
        tf.Session().run(tf.io.read_file(str(path) + "-none"))
