"""Names of variables made in branches and loops: those of TensorFlow 1.15.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tpuref as tf


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def step() -> Any:
    w = tf.get_variable("w", [])
    with tf.name_scope("inner"):
        x = tf.Variable(1.0, name="x")
    return tf.train.AdamOptimizer(0.1).minimize(w * x)


def turn(i: Any) -> Any:
    with tf.control_dependencies([step()]):
        return i + 1


def loop() -> Any:
    return tf.while_loop(lambda i: i < 3, turn, [0])


def branch() -> Any:
    return tf.cond(tf.constant(True), lambda: turn(0), lambda: 2)


def branch_in_a_loop() -> Any:
    def body(i: Any) -> Any:
        with tf.name_scope("bar"):
            return tf.cond(i < 3, lambda: turn(i), lambda: i)

    return tf.while_loop(lambda i: i < 3, body, [0])


def in_a_scope() -> Any:
    with tf.name_scope("foo"):
        return loop()


def repeated() -> Any:
    with tf.name_scope("foo"):
        return tf.contrib.tpu.repeat(3, lambda: [step()])


def replicated() -> Any:
    return tf.tpu.replicate(repeated, [[], []])


def steps() -> None:
    with tf.config.override(cores=2):
        resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        strategy = tf.contrib.distribute.TPUStrategy(resolver, steps_per_run=3)
    with strategy.scope():
        dataset = strategy.distribute_dataset(lambda: tf.data.Dataset.range(6))
        strategy.run_steps_on_dataset(
            lambda context, x: strategy.call_for_each_tower(step),
            dataset.make_one_shot_iterator(),
            iterations=3,
        )


@pytest.mark.parametrize(
    ("build", "scope"),
    [
        (step, ""),
        (loop, "while/"),
        (branch, "cond/"),
        (branch_in_a_loop, "while/bar/cond/"),
        (in_a_scope, "foo/while/"),
        (repeated, ""),
        (replicated, ""),
        (steps, ""),
    ],
)
def test_names(build: Callable[[], Any], scope: str) -> None:
    build()
    made = {variable.op.name for variable in tf.global_variables()}
    x = f"{scope}inner/x"
    powers = {f"{scope}beta1_power", f"{scope}beta2_power"}
    slots = {f"{name}/{slot}" for name in ("w", x) for slot in ("Adam", "Adam_1")}
    assert made == {"w", x} | powers | slots
