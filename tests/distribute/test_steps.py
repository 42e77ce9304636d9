"""run_steps_on_dataset: steps that run on the cores one after the other."""

import threading

import numpy as np
import pytest

import tpuref as tf

from .conftest import numbers

pytestmark = pytest.mark.usefixtures("both_executors")
Dataset = tf.data.Dataset


def iterator_of(strategy, dataset):
    return strategy.distribute_dataset(lambda: dataset).make_one_shot_iterator()


def test_what_a_failed_run_has_taken_does_not_reach_the_next(strategy, session):
    limit = tf.placeholder(tf.float32, [])

    def tower(x):
        with tf.control_dependencies([tf.Assert(x < limit, [x])]):
            return tf.identity(x)

    def fn(context, x):
        context.set_last_step_output("x", strategy.call_for_each_tower(tower, x))

    context = strategy.run_steps_on_dataset(fn, numbers(strategy), 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="in tower [01]"):
        session.run(context.last_step_outputs, {limit: 0.0})
    first, second = session.run(context.last_step_outputs, {limit: 99.0})["x"]
    assert second == first + 1 and first % 2 == 1


def test_an_error_of_the_dataset_reaches_the_caller(strategy):
    def generator():
        yield from [1.0, 2.0, 3.0]
        raise ValueError("broken disk")

    iterator = iterator_of(strategy, Dataset.from_generator(generator, tf.float32, []))
    context = strategy.run_steps_on_dataset(lambda context, x: None, iterator, 3)
    broken = pytest.raises(tf.errors.InvalidArgumentError, match="broken disk")
    with tf.Session() as session, broken:
        session.run(context.run_op)


def test_large_elements_arrive_whole(strategy, session):
    rows = np.arange(40, dtype=np.float32)[:, None] * np.ones(40_000, np.float32)

    def fn(context, x):
        totals = strategy.call_for_each_tower(tf.reduce_mean, x)
        context.set_last_step_output("mean", totals)

    iterator = iterator_of(strategy, Dataset.from_tensor_slices(rows))
    context = strategy.run_steps_on_dataset(fn, iterator, 20)
    assert session.run(context.last_step_outputs)["mean"] == [38.0, 39.0]


def test_what_works_ahead_ends_with_the_session(strategy):
    before = set(threading.enumerate())
    element = iterator_of(strategy, Dataset.range(3).repeat()).get_next()
    with tf.Session() as session:
        session.run(strategy.unwrap(element))
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) <= before
