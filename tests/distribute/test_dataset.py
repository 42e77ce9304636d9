"""distribute_dataset: what each tower gets of a dataset."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.distribute.dataset import rounds_ahead

Dataset = tf.data.Dataset


def values(strategy: Any, value: Any, session: tf.Session) -> list[Any]:
    return [np.asarray(v).tolist() for v in session.run(strategy.unwrap(value))]


def test_the_example_of_the_document(strategy_of) -> None:
    distribution_strategy = strategy_of(4)

    def dataset_fn() -> Any:
        return Dataset.from_tensors([[1.0]]).repeat()

    with distribution_strategy.scope():
        distributed_dataset = distribution_strategy.distribute_dataset(dataset_fn)
        iterator = distributed_dataset.make_one_shot_iterator()
        tower_results = distribution_strategy.call_for_each_tower(
            lambda x: x * 2.0, iterator.get_next()
        )
    with tf.Session() as session:
        for _ in range(3):
            assert (
                values(distribution_strategy, tower_results, session) == [[[2.0]]] * 4
            )


@pytest.mark.parametrize("towers", [1, 2, 4, 8])
def test_consecutive_elements_go_to_consecutive_towers(towers, strategy_of) -> None:
    strategy = strategy_of(towers)
    with strategy.scope():
        dataset = strategy.distribute_dataset(lambda: Dataset.range(2 * towers + 1))
        element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert values(strategy, element, session) == list(range(towers))
        assert values(strategy, element, session) == list(range(towers, 2 * towers))
        if towers > 1:  # an incomplete round is left out
            with pytest.raises(tf.errors.OutOfRangeError, match="end of sequence"):
                values(strategy, element, session)


def test_structure_and_what_is_known_of_it(strategy_of) -> None:
    strategy = strategy_of(2)
    rows = {"x": np.zeros([4, 3], np.float32), "y": (np.arange(4), np.ones(4))}
    with strategy.scope():
        dataset = strategy.distribute_dataset(lambda: Dataset.from_any(rows))
        iterator = dataset.make_one_shot_iterator()
        element = iterator.get_next()
    assert type(dataset).__name__ == "PerDeviceDataset"
    for known in (dataset, iterator):
        assert known.output_types == {"x": tf.float32, "y": (tf.int64, tf.float64)}
        assert known.output_shapes["x"] == tf.TensorShape([3])
        assert "for 2 towers, each with shapes: {x: (3,)" in repr(known)
    labels, _ = element["y"]
    with tf.Session() as session:
        assert values(strategy, labels, session) == [0, 1]


def test_towers_may_get_elements_of_different_shapes(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        ragged = strategy.distribute_dataset(lambda: Dataset.range(1, 3).map(tf.range))
        element = ragged.make_one_shot_iterator().get_next()
        doubled = strategy.call_for_each_tower(lambda x: x * 2, element)
    with tf.Session() as session:
        assert values(strategy, doubled, session) == [[0], [0, 2]]


def test_initializable_iterator(strategy_of) -> None:
    strategy, count = strategy_of(2), tf.placeholder(tf.int64, [])
    with strategy.scope():
        dataset = strategy.distribute_dataset(lambda: Dataset.range(count))
        iterator = dataset.make_initializable_iterator()
        element = iterator.get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="initializer"):
            values(strategy, element, session)
        for _ in range(2):
            session.run(iterator.initializer, {count: 2})
            assert values(strategy, element, session) == [0, 1]


def test_the_function_is_called_once_without_arguments(strategy_of) -> None:
    calls: list[tuple[Any, ...]] = []

    def dataset_fn(*args: Any) -> Any:
        calls.append(args)
        return Dataset.range(4)

    strategy = strategy_of(2)
    with strategy.scope():
        strategy.distribute_dataset(dataset_fn).make_one_shot_iterator().get_next()
    assert calls == [()]


def test_what_is_no_dataset_function(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        with pytest.raises(TypeError, match="use lambda: dataset"):
            strategy.distribute_dataset(Dataset.range(3))
        with pytest.raises(ValueError, match="it returned 5; .*from_any"):
            strategy.distribute_dataset(lambda: 5)


def test_eager_iteration(strategy_of) -> None:
    strategy = strategy_of(2)
    with tf.eager_execution(), strategy.scope():
        dataset = strategy.distribute_dataset(lambda: Dataset.range(5))
        pairs = [[int(v) for v in strategy.unwrap(element)] for element in dataset]
        iterator = dataset.make_one_shot_iterator()
        first = strategy.call_for_each_tower(lambda x: x + 10, iterator.get_next())
        assert [int(v) for v in strategy.unwrap(first)] == [10, 11]
        with pytest.raises(ValueError, match="starts by itself"):
            _ = iterator.initializer
    assert pairs == [[0, 1], [2, 3]]


def test_iteration_in_graph_mode(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        dataset = strategy.distribute_dataset(lambda: Dataset.range(4))
        with pytest.raises(RuntimeError, match="outside of tf.function and eager mode"):
            next(dataset.make_one_shot_iterator())


@pytest.mark.parametrize(
    ("shape", "rounds"), [([1000], 16), ([1 << 21], 8), ([1 << 28], 2), ([None], 2)]
)
def test_how_far_ahead(shape, rounds) -> None:
    assert rounds_ahead([tf.TensorSpec(shape, tf.float32)]) == rounds


def test_what_works_ahead_ends_with_the_session(strategy_of) -> None:
    before, strategy = set(threading.enumerate()), strategy_of(2)
    with strategy.scope():
        endless = strategy.distribute_dataset(lambda: Dataset.range(3).repeat())
        element = endless.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        values(strategy, element, session)
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) <= before
