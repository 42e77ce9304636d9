"""The scenarios on both executors, for one, two, four and eight towers."""

from __future__ import annotations

import numpy as np
import pytest

import tpuref as tf

from .scenarios import SCENARIOS

TOWERS = [1, 2, 4, 8]


def check(scenario, strategy):
    with tf.Graph().as_default(), strategy.scope(), tf.Session() as sess:
        fetches, expected = scenario(strategy)
        sess.run(tf.global_variables_initializer())
        got = tf.nest.flatten(sess.run(fetches))
    wanted = (
        tf.nest.flatten(expected)
        if len(got) == len(tf.nest.flatten(expected))
        else expected
    )
    assert len(got) == len(wanted)
    for value, right in zip(got, wanted, strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-6)


@pytest.mark.parametrize("towers", TOWERS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_in_lockstep(scenario, towers, strategy_of):
    with tf.config.override(cores=towers, executor="lockstep"):
        check(scenario, strategy_of(towers))


@pytest.mark.parametrize("towers", TOWERS)
def test_on_the_pool(towers, strategy_of):
    """All of them use the same core processes."""
    with tf.config.override(cores=towers, executor="pool"):
        for scenario in SCENARIOS:
            check(scenario, strategy_of(towers))
