"""Programs that several processes run together, each with some devices.

Each process runs this module with the address of the first, the number of processes,
its own number, and the folder to which it writes what it was given.
"""

import sys
from pathlib import Path

import numpy as np

import tpuref as tf
from tests.sampled.compiled import difference
from tests.sampled.sampler import draw

REPLICAS = 8
DEVICES = 4
SAMPLED = (6, 28, 61, 108)


def inputs(*shape):
    generator = np.random.default_rng(7)
    return [[generator.normal(size=shape).astype(np.float32)] for _ in range(REPLICAS)]


def called(function, x, dtype=tf.float32):
    """Call a function of the host; its result has the shape of `x`."""
    y = tf.py_func(function, [x], dtype)
    y.set_shape(x.shape)
    return y


def training(process):
    optimizer = tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(0.01))

    def step(x):
        h = tf.layers.dense(x, 5, tf.nn.relu, kernel_initializer=start)
        loss = tf.reduce_mean(
            (tf.layers.dense(h, 1, kernel_initializer=start) - 1) ** 2
        )
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return tf.identity(loss)

    start = tf.random_normal_initializer(seed=3)
    return tf.tpu.replicate(step, inputs(6, 3)), None


def sums(process):
    groups = [[0, 5, 2, 7], [1, 6, 3, 4]]

    def computation(x):
        apart = tf.tpu.cross_replica_sum(x, groups)
        return tf.tpu.cross_replica_sum(x), apart, tf.tpu.cross_replica_sum(x[:3])

    return tf.tpu.replicate(computation, inputs(40_000)), None


def branches_and_loops(process):
    def computation(x):
        _, y = tf.while_loop(
            lambda k, a: a[0] < 3,
            lambda k, a: (k + 1, a + tf.random_uniform([3], seed=6)),
            [0, x],
        )
        z = tf.cond(x[0] > 0, lambda: tf.cumsum(x), lambda: -x)
        return y, z, tf.random_normal([2], seed=1), tf.tpu.cross_replica_sum(y)

    return tf.tpu.replicate(computation, inputs(3)), None


def host_parts(process):
    def computation(x):
        first = called(lambda a: a * np.float32(2), x)
        _, last = tf.while_loop(
            lambda k, a: k < 3,
            lambda k, a: (k + 1, called(lambda v: -v, a) + 1),
            [0, tf.tpu.cross_replica_sum(first)],
        )
        return first, last, tf.tpu.outside_compilation(lambda v: v + 1, x)

    return tf.tpu.replicate(computation, inputs(2)), None


def a_wrong_position(process):
    table = tf.get_variable("table", initializer=np.zeros(4, np.float32))

    def computation(k):
        return tf.assign_add(table, [1.0] * 4) + tf.gather(table, k)

    return tf.tpu.replicate(computation, [[np.int32(k)] for k in range(3)] * 2), None


def own_processes(process):
    """What each process decides: a feed, and what its host function returns."""
    fed = tf.placeholder(tf.float32, [])

    def computation(x):
        return x + 0, called(lambda a: np.float32(process), x)

    return tf.tpu.replicate(computation, [[fed]] * REPLICAS), {fed: np.float32(process)}


def without_seeds(process):
    w = tf.get_variable("w", [3], initializer=tf.random_normal_initializer())

    def computation(x):
        return tf.assign_add(w, tf.tpu.cross_replica_sum(x)), tf.random_normal([2])

    return tf.tpu.replicate(computation, inputs(3)), None


def one_replica(process):
    return tf.tpu.rewrite(lambda x: called(np.sin, x) * 2, inputs(3)[0]), None


AS_IN_LOCKSTEP = [training, sums, branches_and_loops, host_parts, a_wrong_position]
AS_IN_LOCKSTEP.append(one_replica)


def evaluated(program, process):
    """Return what two runs and the variables give, or the error in words."""
    with tf.Graph().as_default():
        fetches, fed = program(process)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            try:
                turns = [session.run(fetches, fed) for _ in range(2)]
            except tf.errors.OpError as error:
                turns = [str(error).partition("\n")[0]]
            variables = session.run(tf.global_variables())
            return [np.asarray(value) for value in tf.nest.flatten([turns, variables])]


def main(coordinator, processes, process, folder):
    """Run all programs as one of the processes."""
    import jax

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(coordinator, int(processes), int(process))
    tf.config.executor, tf.config.xla_devices = "xla", DEVICES
    for program in (*AS_IN_LOCKSTEP, own_processes, without_seeds):
        arrays = evaluated(program, int(process))
        np.savez(Path(folder) / f"{program.__name__}-{process}.npz", *arrays)
    said = [str(difference(draw(seed), DEVICES)) for seed in SAMPLED]
    np.savez(Path(folder) / f"sampled-{process}.npz", *said)


if __name__ == "__main__":
    main(*sys.argv[1:])
