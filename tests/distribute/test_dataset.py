"""distribute_dataset: what each tower gets of a dataset."""

import threading

import numpy as np

import tpuref as tf

Dataset = tf.data.Dataset


def values(strategy, value, session):
    return [np.asarray(v).tolist() for v in session.run(strategy.unwrap(value))]


def test_what_works_ahead_ends_with_the_session(strategy_of):
    before, strategy = set(threading.enumerate()), strategy_of(2)
    with strategy.scope():
        endless = strategy.distribute_dataset(lambda: Dataset.range(3).repeat())
        element = endless.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        values(strategy, element, session)
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) <= before
