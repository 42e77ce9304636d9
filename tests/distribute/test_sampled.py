"""Sampled programs of towers give on the cores what they give on the host.

The host runs one operation after the other, in program order; whatever the
stages move to the cores must not change a bit.
"""

import random

import numpy as np
import pytest

import tpuref as tf

AGGREGATIONS = (
    tf.VariableAggregation.SUM,
    tf.VariableAggregation.MEAN,
    tf.VariableAggregation.ONLY_FIRST_TOWER,
)


class Sample:
    """A program made of random steps; two with one seed are the same."""

    def __init__(self, strategy, seed, plain):
        self.strategy = strategy
        self.random = random.Random(seed)
        self.plain = plain
        self.mirrored = tf.get_variable(
            "mirrored", initializer=[1.0, 2.0], aggregation=AGGREGATIONS[seed % 3]
        )
        self.towers = [self.per_tower(tf.constant([0.5, -1.0]))]
        self.hosts = [tf.constant([3.0, 4.0])]
        self.fetches = []

    def per_tower(self, x):
        return self.strategy.call_for_each_tower(
            lambda x: x * (tf.get_tower_context().tower_id + 1.0), x
        )

    def call(self, fn, *values):
        """Add what a function gives in each tower to the values of towers."""
        self.towers.append(self.strategy.call_for_each_tower(fn, *values))

    def any_tower(self):
        return self.random.choice(self.towers)

    def any_host(self):
        return self.random.choice(self.hosts)

    def arithmetic(self):
        factor = self.random.choice([0.5, -1.0, 2.0])
        values = self.any_tower(), self.any_tower(), self.any_host()
        self.call(lambda a, b, h: a * factor + b - h / 4.0, *values)

    def meeting(self):
        aggregation = self.random.choice(AGGREGATIONS)

        def merge(distribution, x):
            if self.strategy.num_towers % 2:
                return sum(distribution.unwrap(x)) / 2.0
            return distribution.reduce(aggregation, x, x)

        def fn(x):
            return tf.get_tower_context().merge_call(merge, x) + x

        self.call(fn, self.any_tower())

    def reduction(self):
        strategy, value = self.strategy, self.any_tower()
        destinations = self.random.choice(
            [value, strategy.worker_devices[-1], "/device:CPU:0"]
        )
        reduced = strategy.reduce(self.random.choice(AGGREGATIONS), value, destinations)
        self.hosts.append(strategy.unwrap(reduced)[-1] / 8.0)

    def across(self):
        first, *_, last = self.strategy.unwrap(self.any_tower())
        self.hosts.append(last - first / 2.0)

    def update(self):
        change = self.strategy.reduce(
            self.random.choice(AGGREGATIONS), self.any_tower(), self.mirrored
        )
        updated = self.strategy.update(
            self.mirrored, lambda v, d: v.assign(v / 2.0 + d / 16.0), change
        )
        self.fetches.append(self.random.choice(self.strategy.unwrap(updated)))

    def assignment(self):
        def fn(x):
            return self.mirrored.assign_sub(x / 32.0) + self.mirrored / 2.0

        self.call(fn, self.any_tower())

    def shared_variable(self):
        def fn(x):
            return self.plain.assign(self.plain / 2.0 + x / 64.0)

        self.call(fn, self.any_tower())

    def reading(self):
        self.call(lambda x: x / 2.0 + self.mirrored * self.plain, self.any_tower())

    def branch(self):
        def fn(x):
            positive = tf.reduce_sum(x) > 0.0
            return tf.cond(positive, lambda: x - 1.0, lambda: x * 0.5 + 1.0)

        self.call(fn, self.any_tower())

    def grow(self, steps):
        kinds = [
            self.arithmetic, self.meeting, self.reduction, self.across, self.update,
            self.assignment, self.shared_variable, self.reading, self.branch,
        ]  # fmt: skip
        for _ in range(steps):
            self.random.choice(kinds)()
        self.fetches += self.strategy.unwrap(self.towers[-1]) + self.hosts[-2:]
        self.fetches += self.strategy.unwrap(self.any_tower())


def run(strategy, seed, executor):
    """Run a program twice in one session, and return all that it leaves."""
    with tf.Graph().as_default(), tf.Session() as sess:
        plain = tf.Variable([0.25, 0.5], name="plain")
        with strategy.scope():
            sample = Sample(strategy, seed, plain)
            sample.grow(12)
        variables = [plain, *strategy.unwrap(sample.mirrored)]
        with tf.config.override(executor=executor):
            sess.run(tf.global_variables_initializer())
            results = [sess.run(sample.fetches) for _ in range(2)]
        return [*results[0], *results[1], *sess.run(variables)]


def require_equal(strategy_of, towers, seed, executor):
    """Require equal bits of an executor and of the host; return the host's values."""
    host = strategy_of(towers)
    host._towers = None  # nothing runs on the cores
    expected = run(host, seed, "lockstep")
    found = run(strategy_of(towers), seed, executor)
    for value, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(value, right, f"seed {seed}")
    return expected


@pytest.mark.parametrize("seed", range(40))
def test_lockstep_gives_what_the_host_gives(seed, strategy_of):
    expected = require_equal(strategy_of, 2 + seed % 3, seed, "lockstep")
    assert np.isfinite(expected[-1]).all()


def test_the_pool_gives_what_the_host_gives(strategy_of):
    with tf.config.override(cores=3):
        for seed in range(1, 40, 6):
            require_equal(strategy_of, 3, seed, "pool")
