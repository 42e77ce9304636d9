"""Infeed and outfeed of single cores: what arrives where, waits, and errors."""

import threading
import time
from functools import partial

import numpy as np
import pytest

import tpuref as tf

from ..messages import refused

tpu = tf.contrib.tpu
CORES = 3


pytestmark = pytest.mark.usefixtures("short_waits")


def in_thread(function):
    """Call a function in a thread that has begun; the list gets what it gives."""
    given = []

    def call():
        try:
            given.append(function())
        except tf.errors.OpError as error:
            given.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    return thread, given


def doubling():
    """A turn that takes a matrix and an integer, and sends their sums, doubled."""
    x, k = tpu.infeed_dequeue_tuple([tf.float32, tf.int32], [[2, 2], []])
    return tpu.outfeed_enqueue_tuple([tf.reduce_sum(x) * 2.0, k * 2])


def ends(cores=CORES):
    """Return a placeholder, and what fills and empties the queues of all cores."""
    x = tf.placeholder(tf.float32, [cores, 2, 2])
    fill = [
        tpu.infeed_enqueue_tuple([x[k], k], [[2, 2], []], device_ordinal=k)
        for k in range(cores)
    ]
    empty = [
        tpu.outfeed_dequeue_tuple([tf.float32, tf.int32], [[], []], k)
        for k in reversed(range(cores))
    ]
    return x, fill, empty[::-1]


def test_one_run_fills_computes_and_empties(session):
    x, fill, empty = ends()  # built before what they wait for
    step = tpu.replicate(doubling, [[]] * CORES)
    given = np.arange(12.0, dtype=np.float32).reshape(3, 2, 2)
    for turn in range(2):
        _, taken, _ = session.run([step, empty, fill], {x: given + turn})
        wanted = 2 * (given + turn).sum(axis=(1, 2))
        assert [(float(s), int(k)) for s, k in taken] == [
            (float(w), 2 * core) for core, w in enumerate(wanted)
        ]


def test_what_follows_from_the_outfeed_comes_after_the_computation(session):
    taken = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=0)
    with tf.control_dependencies([tpu.infeed_enqueue(taken + 1, [], device_ordinal=1)]):
        after = tf.identity(taken)
    session.run(tpu.replicate(lambda: tpu.outfeed_enqueue(7), [[]] * 2))
    assert session.run(after) == 7
    other = tpu.rewrite(lambda x: [x * 2, tpu.outfeed_enqueue(x)], [3])
    again = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=0) * 10
    (doubled,), tenfold = session.run([other, again])
    assert (doubled, tenfold) == (6, 30)


@pytest.mark.parametrize("kind", ["lockstep", "pool"])
def test_threads_feed_a_loop_while_it_runs(kind):
    with tf.config.override(executor=kind), tf.Session() as session:
        x, fill, empty = ends()
        total = tf.get_variable("total", [], initializer=tf.zeros_initializer())

        def turn():
            own, k = tpu.infeed_dequeue_tuple([tf.float32, tf.int32], [[2, 2], []])
            added = tf.assign_add(total, tpu.cross_replica_sum(tf.reduce_sum(own)))
            return tpu.outfeed_enqueue_tuple([added, k]), tf.group(added)

        loop = tpu.shard(lambda: tpu.repeat(4, turn), num_shards=CORES)
        session.run(tf.global_variables_initializer())
        for again in range(2):

            def feed():
                for k in range(4):
                    session.run(fill, {x: np.full((3, 2, 2), k + 1.0)})

            feeder, _ = in_thread(feed)
            taker, given = in_thread(lambda: [session.run(empty) for _ in range(4)])
            session.run(loop)
            feeder.join()
            taker.join()
            sums = 120.0 * again + np.cumsum([12.0, 24.0, 36.0, 48.0])
            assert given == [[[[s, core] for core in range(CORES)] for s in sums]]
        assert session.run(total) == 240.0


def test_a_core_has_its_own_queue_wherever_the_replica_is(session):
    topology = tpu.Topology(serialized=session.run(tpu.initialize_system()))
    assignment = tpu.DeviceAssignment(
        topology, np.array([[[1, 1, 0]], [[0, 0, 1]], [[0, 1, 1]]])
    )
    places = [assignment.tpu_ordinal(replica=r) for r in range(CORES)]
    assert places != sorted(places)
    step = tpu.replicate(
        lambda x: tpu.outfeed_enqueue(x), [[5], [6], [7]], device_assignment=assignment
    )
    session.run(step)
    taken = [tpu.outfeed_dequeue(tf.int32, [], device_ordinal=p) for p in places]
    assert session.run(taken) == [5, 6, 7]


def test_the_device_scope_names_a_core(session):
    step = tpu.replicate(lambda x: tpu.outfeed_enqueue(x), [[5], [6], [7]])
    with tf.device("/device:TPU:2"):
        taken = tpu.outfeed_dequeue(tf.int32, [])
    assert session.run([step, taken])[1] == 7


def test_the_task_of_the_device_counts(session):
    with tf.config.override(cores=16):
        step = tpu.replicate(lambda x: tpu.outfeed_enqueue(x), [[r] for r in range(16)])
        with tf.device("/task:1/device:CPU:0"):
            taken = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=3)
        assert session.run([step, taken])[1] == 11


def test_initialize_system_empties_the_queues(session):
    step = tpu.rewrite(lambda x: tpu.outfeed_enqueue(x), [5])
    other = tpu.rewrite(lambda x: tpu.outfeed_enqueue(x), [6])
    taken = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=0)
    session.run(step)
    session.run(tpu.initialize_system())
    assert session.run([other, taken])[1] == 6


def test_an_empty_outfeed_is_reported(session):
    taken = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=2, name="out")
    words = ["outfeed of core 2 stalled: 0 tuples", "within 0.1 s"]
    words += ["operation: out", "test_feeds.py"]
    with tf.config.override(timeout=0.1):
        refused(tf.errors.DeadlineExceededError, words, session.run, taken)


def test_an_empty_infeed_is_reported(session):
    step = tpu.replicate(doubling, [[]] * 2)
    fill = tpu.infeed_enqueue_tuple([tf.ones([2, 2]), 1], [[2, 2], []], [], 0)
    words = ["infeed of core 1 stalled: 0 tuples", "InfeedDequeueTuple"]
    with tf.config.override(timeout=0.2):
        refused(tf.errors.DeadlineExceededError, words, session.run, [fill, step])


def test_a_wait_ends_with_its_session(session):
    taken = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=1)
    computed = tpu.replicate(lambda: tpu.infeed_dequeue(tf.int32, []), [[]] * CORES)
    for fetch in (taken, computed):
        with tf.Session() as own:
            waiting, given = in_thread(partial(own.run, fetch))
            time.sleep(0.3)
        waiting.join(10)
        assert isinstance(given[0], tf.errors.CancelledError)
        assert "the session was closed while this run waited" in given[0].message
    later = tpu.replicate(lambda x: x + 1, [[1]] * CORES)
    assert session.run(later) == [(2,)] * CORES  # the cores are free again


def test_a_full_queue_waits_for_room(session, monkeypatch):
    monkeypatch.setattr("tpuref.engine.runtime.meaning.device_queues.CAPACITY", 2)
    fill = tpu.infeed_enqueue(3, [], device_ordinal=0)
    step = tpu.rewrite(lambda: tpu.infeed_dequeue(tf.int32, []))
    feeder, given = in_thread(lambda: [session.run(fill) for _ in range(5)])
    assert [session.run(step) for _ in range(5)] == [(3,)] * 5
    feeder.join()
    assert given == [[None] * 5]
    for _ in range(2):
        session.run(fill)
    full = pytest.raises(tf.errors.ResourceExhaustedError, match="core 0 is full")
    with tf.config.override(timeout=0.1), full:
        session.run(fill)
    assert [session.run(step) for _ in range(2)] == [(3,)] * 2  # empty for the next


def test_a_failed_computation_wakes_who_waits_for_it(session):
    x = tf.placeholder(tf.int32, [])
    step = tpu.rewrite(lambda x: tpu.outfeed_enqueue(6 // x), [x])
    taken = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=0)
    waiter, given = in_thread(lambda: session.run(taken))
    time.sleep(0.2)  # it waits
    began = time.monotonic()
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(step, {x: 0})
    waiter.join()
    assert time.monotonic() - began < 10.0
    (error,) = given
    assert isinstance(error, tf.errors.AbortedError)
    assert "outfeed of core 0" in str(error) and "zero" in str(error)
    assert session.run([step, taken], {x: 2})[1] == 3


def test_other_failures_wake_nobody(session):
    x = tf.placeholder(tf.int32, [])
    queue = tpu.InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[]], name="outfeed")
    unrelated = tpu.rewrite(lambda x, y: y // x, [x], queue)
    enqueue = queue.generate_enqueue_ops([[1]])
    taken = tpu.outfeed_dequeue(tf.int32, [], device_ordinal=0)
    waiter, given = in_thread(lambda: session.run(taken))
    time.sleep(0.2)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run([enqueue, unrelated], {x: 0})
    session.run(tpu.rewrite(lambda: tpu.outfeed_enqueue(4)))
    waiter.join()
    assert given == [4]


@pytest.mark.parametrize(
    ("dtypes", "shapes", "fault"),
    [
        ([tf.float32], [[3]], r"\(float32\[2\]\), expected \(float32\[3\]\)"),
        ([tf.int32], [[2]], r"expected \(int32\[2\]\)"),
        ([tf.float32] * 2, [[2]] * 2, r"expected \(float32\[2\], float32\[2\]\)"),
    ],
)
def test_a_tuple_of_another_kind_is_refused(session, dtypes, shapes, fault):
    fill = tpu.infeed_enqueue_tuple([tf.zeros([2])], [[2]], device_ordinal=0)
    step = tpu.rewrite(lambda: tpu.infeed_dequeue_tuple(dtypes, shapes))
    with pytest.raises(tf.errors.InvalidArgumentError, match=fault):
        session.run([fill, step])


def test_the_places_of_the_operations(session):
    for operation in [
        tpu.infeed_enqueue(1, []),
        tpu.infeed_enqueue(1, [], device_ordinal=8),
        tpu.outfeed_dequeue(tf.int32, []),
        tpu.infeed_dequeue(tf.int32, []),
        tpu.outfeed_enqueue(1),
        tpu.infeed_enqueue(tf.zeros([3]), device_ordinal=0),  # shape defaults to []
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(operation)


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda: tpu.infeed_dequeue(tf.float64, [2]), TypeError),
        (lambda: tpu.infeed_dequeue_tuple([tf.uint8], [[2]]), TypeError),
        (lambda: tpu.infeed_dequeue_tuple([], []), ValueError),
        (lambda: tpu.infeed_dequeue_tuple(tf.float32, [[2]]), TypeError),
        (lambda: tpu.infeed_dequeue_tuple([tf.float32], [[2], [2]]), ValueError),
        (lambda: tpu.infeed_enqueue_tuple([], []), ValueError),
        (lambda: tpu.infeed_enqueue_tuple(tf.zeros([2]), [[2]]), TypeError),
        (lambda: tpu.infeed_enqueue_tuple([1], []), ValueError),
        (lambda: tpu.outfeed_enqueue_tuple([]), ValueError),
        (lambda: tpu.outfeed_enqueue_tuple(tf.zeros([2])), TypeError),
        (lambda: tpu.outfeed_dequeue_tuple([], []), ValueError),
    ],
)
def test_faults_of_calls(build, error):
    # As TensorFlow 1.15.5, which crashes instead where the lengths differ.
    with pytest.raises(error, match=r"tf\.contrib\.tpu\."):
        build()
