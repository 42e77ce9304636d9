"""Names of variables made in branches and loops: those of TensorFlow 1.15.5."""

import pytest

import tpuref as tf


def step():
    w = tf.get_variable("w", [])
    with tf.name_scope("inner"):
        x = tf.Variable(1.0, name="x")
    return tf.train.AdamOptimizer(0.1).minimize(w * x)


def turn(i):
    with tf.control_dependencies([step()]):
        return i + 1


def loop():
    return tf.while_loop(lambda i: i < 3, turn, [0])


def branch():
    return tf.cond(tf.constant(True), lambda: turn(0), lambda: 2)


def branch_in_a_loop():
    def body(i):
        with tf.name_scope("bar"):
            return tf.cond(i < 3, lambda: turn(i), lambda: i)

    return tf.while_loop(lambda i: i < 3, body, [0])


def in_a_scope():
    with tf.name_scope("foo"):
        return loop()


def repeated():
    with tf.name_scope("foo"):
        return tf.contrib.tpu.repeat(3, lambda: [step()])


def replicated():
    return tf.tpu.replicate(repeated, [[], []])


def steps():
    resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
    strategy = tf.contrib.distribute.TPUStrategy(resolver, 3, num_cores=2)
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
def test_names(build, scope):
    build()
    made = {variable.op.name for variable in tf.global_variables()}
    x = f"{scope}inner/x"
    powers = {f"{scope}beta1_power", f"{scope}beta2_power"}
    slots = {f"{name}/{slot}" for name in ("w", x) for slot in ("Adam", "Adam_1")}
    assert made == {"w", x} | powers | slots
