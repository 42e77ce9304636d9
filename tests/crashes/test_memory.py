"""What ten thousand runs, and many starts, leave behind: nothing that grows."""

import gc
import os
import threading
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf

from .computations import calling, replicate
from .processes import FULL, descriptors, resident_bytes

RUNS = 10_000 if FULL else 600
CYCLES = 200 if FULL else 2
MEBIBYTE = 1 << 20


def held(pool):
    """Memory of host and cores, their descriptors and threads."""
    pids = [os.getpid(), *pool.pids]
    gc.collect()
    return (
        [resident_bytes(pid) for pid in pids],
        descriptors(),
        threading.active_count(),
        [len(os.listdir(f"/proc/{pid}/{what}")) for pid in pids[1:] for what in KINDS],
    )


KINDS = ("fd", "task")


def assert_steady(pool, run, runs):
    """Memory grows by less than 5 MiB in each process, and nothing else at all."""
    for number in range(runs // 10):
        run(number)
    before = held(pool)
    for number in range(runs):
        run(number)
    after = held(pool)
    growth = np.subtract(after[0], before[0]) / MEBIBYTE
    print(f"{runs} runs, MiB:", growth.round(2).tolist())
    assert after[1:] == before[1:]
    assert (growth < 5).all()


def test_small_runs(pool):
    x = tf.placeholder(tf.float32, [3])
    fetch = tf.tpu.replicate(lambda x: tf.tpu.cross_replica_sum(x) + 1.0, [[x]] * 3)

    def run(number):
        results = pool.session.run(fetch, {x: np.full(3, number, np.float32)})
        assert results[2][0].tolist() == [3.0 * number + 1] * 3

    assert_steady(pool, run, RUNS)


def test_runs_of_many_sizes(pool):
    x = tf.placeholder(tf.float32, [None])
    fetch = tf.tpu.replicate(
        lambda x: (tf.tpu.cross_replica_sum(x), tf.reduce_sum(x), x * 2.0), [[x]] * 3
    )
    sizes = np.random.default_rng(3).integers(1, 1 << 16, 64)

    def run(number):
        size = sizes[number % 64]
        results = pool.session.run(fetch, {x: np.ones(size, np.float32)})
        assert results[1][0][-1] == 3 and results[1][1] == size

    assert_steady(pool, run, RUNS)


def test_variables_and_host_functions(pool):
    state = tf.get_variable("state", initializer=np.zeros(1 << 10, np.float32))

    def computation(replica):
        add = tf.assign_add(state, tf.ones([1 << 10]))
        host = calling(lambda v: v + 1)(replica)
        with tf.control_dependencies([add]):
            return tf.identity(host)

    fetch = replicate(computation, 3)
    pool.session.run(state.initializer)
    assert_steady(pool, lambda _: pool.session.run(fetch), RUNS)


def test_failing_runs(pool):
    x = tf.placeholder(tf.int32, [])

    def computation(r):
        total = tf.tpu.cross_replica_sum(tf.ones([1 << 19]) * tf.to_float(r))
        chosen = tf.gather([1.0], r)  # fails on the last while the others wait
        return total * chosen, tf.tpu.cross_replica_sum(total * chosen)

    fetch = tf.tpu.replicate(computation, [[0], [0], [x]])

    def run(number):
        try:
            pool.session.run(fetch, {x: number % 2})
        except tf.errors.InvalidArgumentError:
            assert number % 2 == 1

    assert_steady(pool, run, RUNS // 5)


def test_new_graphs(pool):
    """The cores forget the programs of graphs that are no longer in use."""

    def run(number):
        with tf.Graph().as_default(), tf.Session() as session:
            fetch = tf.tpu.replicate(lambda x: x + float(number), [[1.0]] * 3)
            assert session.run(fetch)[1] == (1.0 + number,)

    for number in range(300):  # more than are kept
        run(number)
    assert_steady(pool, run, RUNS // 5)


def mapped():
    """How much shared memory of pools this process sees."""
    total = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "memfd:tpuref" in line:
            start, end = line.split()[0].split("-")
            total += int(end, 16) - int(start, 16)
    return total


SIZE = 3 * MEBIBYTE


def doubled():
    """A vector to feed, and its double in one piece, made by three cores."""
    x = tf.placeholder(tf.float32, [SIZE])
    (double,) = tf.tpu.batch_parallel(lambda x: x * 2.0, [x], num_shards=3)
    return x, double


def test_results_outlive_the_system_and_give_their_memory_back(pool):
    x, double = doubled()
    fed = [np.full(SIZE, number, np.float32) for number in range(4)]
    kept = [pool.session.run(double, {x: data}) for data in fed]
    del fed
    pool.session.run(tf.tpu.shutdown_system())
    for number, result in enumerate(kept):
        assert result.shape == (SIZE,) and (result == 2 * number).all()
    resident, part = resident_bytes(os.getpid()), kept[3][-3:]
    assert mapped() > 0, "the results were copied"
    del kept, result
    gc.collect()
    assert part.tolist() == [6.0] * 3
    del part
    gc.collect()
    assert mapped() == 0
    assert resident - resident_bytes(os.getpid()) > 4 * SIZE * 4 * 0.9


def taken():
    """How much shared memory there is behind the descriptors of this process."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    memory = [link for link in links if "memfd:tpuref" in os.readlink(link)]
    return sum(512 * link.stat().st_blocks for link in memory)


def test_results_give_their_memory_back_to_the_running_system(pool):
    x, double = doubled()
    data = np.ones(SIZE, np.float32)

    def keep_some(_):
        kept = [pool.session.run(double, {x: data}) for _ in range(10)]
        assert len({result.ctypes.data for result in kept}) == 10
        for result in kept:
            result += 1.0
            assert (result == 3.0).all()
        assert (data == 1.0).all()

    keep_some(0)
    before = taken()
    assert before > 10 * data.nbytes
    assert_steady(pool, keep_some, 10)
    assert taken() - before < 2 * data.nbytes


def test_new_values_of_variables_take_no_more_memory(pool):
    weights = tf.get_variable("weights", initializer=np.zeros(1 << 19, np.float32))
    index = tf.placeholder(tf.int32, [])

    def step():
        with tf.control_dependencies([weights.assign(weights + 1.0)]):
            total = tf.tpu.cross_replica_sum(tf.ones([1]))
            return tf.gather(total, index)  # fails for 1, after the new value

    fetch, right = tf.tpu.replicate(step, [[]] * 3), 0
    pool.session.run(weights.initializer)

    def run(number):
        nonlocal right
        if number % 3:
            with pytest.raises(tf.errors.InvalidArgumentError):
                pool.session.run(fetch, {index: 1})
        else:
            pool.session.run(fetch, {index: 0})
            right += 1
        assert (pool.session.run(weights) == right).all()

    for number in range(6):
        run(number)
    before = taken()
    assert_steady(pool, run, 30)
    assert taken() == before


def test_a_result_of_one_replica_keeps_no_memory_of_the_others(pool):
    size = MEBIBYTE  # 4 MiB of float32 for each of three replicas
    x = tf.placeholder(tf.float32, [size])
    fetches = tf.tpu.replicate(lambda x: x * 2, [[x]] * 3)
    data = np.arange(size, dtype=np.float32)
    pool.session.run(fetches, {x: data})
    before, resident = taken(), resident_bytes(os.getpid())
    for fetch, pick in ((fetches[1][0], lambda r: r), (fetches, lambda r: r[2][0])):
        results = [pick(pool.session.run(fetch, {x: data})) for _ in range(30)]
        assert all((result == 2 * data).all() for result in results)
        held = resident_bytes(os.getpid()) - resident + taken() - before
        assert held < 45 * data.nbytes
        del results
        gc.collect()
        assert taken() - before < 3 * data.nbytes
        assert resident_bytes(os.getpid()) - resident < 15 * data.nbytes


def test_results_that_are_deleted_are_given_back_without_another_run(pool):
    x, double = doubled()
    data = np.ones(SIZE, np.float32)
    kept = [pool.session.run(double, {x: data}) for _ in range(30)]
    before = taken()
    assert before > 30 * data.nbytes
    del kept
    gc.collect()
    assert taken() < before - 20 * data.nbytes


def test_starts_and_shutdowns(pool):
    fetch = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0]] * 3)
    stop = tf.tpu.shutdown_system()

    def cycle(number):
        pool.initialize()
        assert pool.session.run(fetch) == [(3.0,)] * 3
        if number % 2:
            pool.session.run(stop)

    cycle(0)
    cycle(1)
    assert_steady(pool, cycle, CYCLES)
    pool.session.run(stop)
