"""Elements from elsewhere: anything iterable, arrays, PyTorch, TensorFlow itself."""

import importlib.util

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf

from .elements import described, elements, lists

from_any = tf.data.Dataset.from_any

needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)
needs_tensorflow = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow is not installed"
)


def test_a_dataset_stays_what_it_is():
    dataset = tf.data.Dataset.range(3)
    assert from_any(dataset) is dataset


def test_rows_of_arrays():
    tree = {"x": np.arange(6.0).reshape(3, 2), "y": (np.arange(3), np.zeros(3, "i1"))}
    dataset = from_any(tree)
    assert described(dataset)[0] == {"x": [2], "y": ([], [])}
    assert described(dataset)[1] == {"x": "float64", "y": ("int64", "int8")}
    assert lists(dataset)[1] == {"x": [2.0, 3.0], "y": (1, 0)}


def test_elements_of_an_iterable():
    assert lists(from_any([1, 2, 3])) == [1, 2, 3]
    assert lists(from_any(range(2)).repeat(2)) == [0, 1, 0, 1]
    pairs = from_any([(1, {"a": [1.0]}), (2, {"a": [2.0]})])
    assert described(pairs) == (([], {"a": [1]}), ("int32", {"a": "float32"}))
    assert lists(pairs) == [(1, {"a": [1.0]}), (2, {"a": [2.0]})]
    assert lists(from_any(["a", b"b"])) == [b"a", b"b"]


def test_elements_by_their_number():
    class Squares:
        def __len__(self):
            return 3

        def __getitem__(self, k):
            return {"square": k * k}  # and no IndexError at the end

    assert lists(from_any(Squares()).map(lambda e: e["square"])) == [0, 1, 4]


def test_a_list_of_arrays_is_several_components():
    dataset = from_any([[np.zeros(2), np.ones(1)]])
    assert described(dataset)[0] == ([2], [1])


def test_a_function_is_called_for_each_pass():
    def generator():
        yield 1.0
        yield 2.0

    assert lists(from_any(generator).repeat(2)) == [1.0, 2.0, 1.0, 2.0]


def test_an_iterator_can_be_gone_through_once():
    dataset = from_any(iter([1, 2]))
    assert lists(dataset) == [1, 2]
    with pytest.raises(tf.errors.FailedPreconditionError, match="is exhausted"):
        elements(dataset)


@pytest.mark.parametrize("later", [1.5, [1], (1, 2), "a"])
def test_later_elements_have_to_be_like_the_first(later):
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 1 differs from"):
        elements(from_any([1, later]))


def test_an_iterable_that_fails():
    def generator():
        yield 1
        raise ValueError("broken")

    with pytest.raises(tf.errors.InvalidArgumentError, match="broken"):
        elements(from_any(generator))


@pytest.mark.parametrize("data", [5, "text", {"a": [1, 2]}, None])
def test_what_gives_no_elements(data):
    with pytest.raises(TypeError, match="Dataset.from_any: expected a dataset"):
        from_any(data)


@pytest.mark.parametrize("make", [lambda: [], lambda: iter([]), lambda: lambda: []])
def test_nothing_tells_no_types(make):
    with pytest.raises(ValueError, match="is empty"):
        from_any(make())


def test_symbolic_tensors_have_no_values():
    with pytest.raises(TypeError, match="has no value yet"):
        from_any([tf.placeholder(tf.float32, [])])


@needs_torch
@pytest.mark.parametrize(
    ("size", "drop", "rows"), [(2, False, None), (2, True, 2), (5, False, 5)]
)
def test_data_loader(size, drop, rows):
    import torch

    images, labels = torch.arange(10.0).reshape(5, 2), torch.arange(5)
    data = torch.utils.data.TensorDataset(images, labels)
    loader = torch.utils.data.DataLoader(data, batch_size=size, drop_last=drop)
    dataset = from_any(loader)
    assert described(dataset) == (([rows, 2], [rows]), ("float32", "int64"))
    expected = [(i.tolist(), n.tolist()) for i, n in loader]
    assert lists(dataset) == expected
    assert lists(dataset.repeat(2)) == expected * 2


@needs_torch
def test_data_loader_of_dicts_and_half_precision():
    import torch

    data = [{"x": torch.tensor([0.5, 3.0], dtype=torch.bfloat16)} for _ in range(4)]
    dataset = from_any(torch.utils.data.DataLoader(data, batch_size=2))
    assert described(dataset) == ({"x": [2, 2]}, {"x": "bfloat16"})
    first = elements(dataset)[0]["x"]
    assert first.dtype == ml_dtypes.bfloat16
    assert first.astype(float).tolist() == [[0.5, 3.0], [0.5, 3.0]]


@needs_tensorflow
def test_a_dataset_of_tensorflow():
    real = importlib.import_module("tensorflow").data.Dataset

    def build(dataset):
        rows = dataset.from_tensor_slices({"x": np.arange(6.0).reshape(3, 2)})
        return dataset.zip((rows, dataset.range(3))).batch(2)

    theirs, ours = build(real), build(tf.data.Dataset)
    taken = from_any(theirs)
    assert described(taken) == described(ours)
    assert lists(taken) == lists(ours)
    assert lists(taken.repeat(2)) == lists(ours.repeat(2))


@needs_tensorflow
def test_text_and_unknown_shapes_of_tensorflow():
    real = importlib.import_module("tensorflow")
    dataset = real.data.Dataset.from_tensor_slices(["a", "bc"])
    assert described(from_any(dataset)) == ([], "string")
    assert lists(from_any(dataset)) == [b"a", b"bc"]
    ragged = real.data.Dataset.range(1, 3).map(real.range)
    assert described(from_any(ragged)) == ([None], "int64")
    assert lists(from_any(ragged)) == [[0], [0, 1]]


@needs_tensorflow
def test_only_dense_tensors_of_tensorflow():
    real = importlib.import_module("tensorflow")
    ragged = real.data.Dataset.from_tensors(real.ragged.constant([[1], [2, 3]]))
    with pytest.raises(TypeError, match="only dense tensors"):
        from_any(ragged)
