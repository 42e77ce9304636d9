"""What stays on the cores between runs, and when they are told of something else."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.errors import FailedPreconditionError, InvalidArgumentError
from tpuref.engine.runtime.pool.host.pool import CorePool
from tpuref.engine.runtime.pool.messages import RunRequest, sharing_key
from tpuref.engine.runtime.system import LOCAL

from ..distribute.conftest import LocalResolver, summed_on_read

LARGE = 5_000


@pytest.fixture
def session():
    settings = tf.config.override(executor="pool", cores=3, processes=2)
    with tf.Session() as opened, settings:
        opened.run(tf.tpu.initialize_system())
        yield opened


def cores():
    """The running cores of this process's system."""
    pool = LOCAL._systems["localhost"]._executor
    assert isinstance(pool, CorePool)
    return pool._cores


@pytest.fixture
def told(session, monkeypatch):
    """The variables that each request to a process has values of."""
    found: list[list[str]] = []
    post = cores().post_each

    def noting(messages):
        for kind, *content in messages.values():
            if kind == "run":
                found.append([handle for handle, _ in RunRequest(*content).variables])
        post(messages)

    monkeypatch.setattr(cores(), "post_each", noting)
    return found


def variables():
    """A large and a small variable."""
    large = tf.get_variable("large", initializer=np.ones(LARGE, np.float32))
    return large, tf.get_variable("small", initializer=np.float32(2.0))


def on_three(computation):
    return tf.tpu.replicate(computation, [[]] * 3)


def test_each_process_is_told_of_a_value_once(evaluate, told):
    large, small = variables()
    read = on_three(lambda: tf.reduce_sum(large.read_value()) * small.read_value())
    for _ in range(3):
        assert evaluate(read) == [(2.0 * LARGE,)] * 3
    evaluate(small.assign(3.0))
    for _ in range(2):
        assert evaluate(read) == [(3.0 * LARGE,)] * 3
    evaluate(large.assign(np.zeros(LARGE, np.float32)))
    assert evaluate(read) == [(0.0,)] * 3
    names = [[handle.partition(":")[0] for handle in request] for request in told]
    assert names[0::2] == names[1::2], "both processes hear the same"
    assert names[0::2] == [["large", "small"], [], [], ["small"], [], ["large"]]


def test_a_process_is_told_of_the_variables_of_its_towers(evaluate, told):
    strategy = tf.contrib.distribute.TPUStrategy(LocalResolver(), steps_per_run=1)
    common = tf.get_variable("common", initializer=3.0)
    with strategy.scope():
        v = summed_on_read("v", 2.0)
        grown = strategy.call_for_each_tower(lambda: v.assign_add(common))
    for turn in (1, 2):
        told.clear()
        assert evaluate(strategy.unwrap(grown)) == [2.0 + 3.0 * turn] * 3
        names = [[handle.partition("#")[0] for handle in request] for request in told]
        # They keep what they have written themselves.
        wanted = [["common", "v"], ["common", "v/replica_1", "v/replica_2"]]
        assert [sorted(each) for each in names] == (wanted if turn == 1 else [[], []])


def test_what_one_program_writes_another_reads(evaluate):
    large, small = variables()
    one = on_three(lambda: large.assign_add(tf.ones([LARGE]) * small.read_value()))
    other = on_three(lambda: [small.assign_add(1.0), tf.reduce_max(large.read_value())])
    expected, step = 1.0, 2.0
    for _ in range(3):
        evaluate(one)
        expected += step
        assert [out[1] for out in evaluate(other)] == [expected] * 3
        step += 1.0
        assert evaluate([large, small])[0][-1] == expected
        assert evaluate(small) == step


def test_sessions_have_values_of_their_own(session):
    large, _ = variables()
    fetch = on_three(lambda: tf.reduce_sum(large.assign_add(large.read_value())))
    with tf.Session(graph=session.graph) as other:
        for opened, factor in ((session, 1.0), (other, 10.0)):
            opened.run(tf.global_variables_initializer())
            opened.run(large.assign(np.full(LARGE, factor, np.float32)))
        for turn in range(1, 4):
            assert session.run(fetch)[2] == (2.0**turn * LARGE,)
            assert other.run(fetch)[2] == (10 * 2.0**turn * LARGE,)


def test_a_failed_run_leaves_the_values_on_the_cores(evaluate):
    large, small = variables()
    index = tf.placeholder(tf.int32, [])

    def computation():
        with tf.control_dependencies([large.assign_add(large), small.assign(7.0)]):
            return tf.gather([1.0], index)

    fetch = on_three(computation)
    read = on_three(lambda: large.read_value()[0] * small.read_value())
    assert evaluate(read) == [(2.0,)] * 3
    with pytest.raises(InvalidArgumentError):
        evaluate(fetch, {index: 1})
    assert evaluate(read) == [(2.0,)] * 3
    evaluate(fetch, {index: 0})
    assert evaluate(read) == [(14.0,)] * 3


def test_a_variable_without_a_value_any_more(session):
    large, small = variables()
    read = on_three(lambda: large.read_value()[0] * small.read_value())
    session.run(tf.global_variables_initializer())
    assert session.run(read) == [(2.0,)] * 3
    with session._executor.state.set_aside():
        with pytest.raises(FailedPreconditionError, match="has no value yet"):
            session.run(read)
        session.run([large.initializer, small.assign(5.0)])
        assert session.run(read) == [(5.0,)] * 3
    assert session.run(read) == [(2.0,)] * 3


def test_the_cores_own_the_memory_that_variables_move_to(evaluate):
    large, _ = variables()
    before = np.ones(LARGE, np.float32)
    read = on_three(lambda: tf.reduce_sum(large.read_value()))
    evaluate(read)
    evaluate(large)[:] = 9.0
    assert evaluate(read) == [(LARGE,)] * 3
    np.testing.assert_array_equal(evaluate(large), before)
    used = cores().memory.heap.used_bytes
    evaluate(large.assign(before))
    evaluate(read)
    assert cores().memory.heap.used_bytes == used, (
        "the block of the old value is free again"
    )
    evaluate(tf.tpu.initialize_system())
    np.testing.assert_array_equal(evaluate(large), before)
    assert evaluate(read) == [(LARGE,)] * 3


def test_a_value_that_a_process_left_is_one_array_for_all_readers(session):
    large, _ = variables()
    session.run(large.initializer)
    grow = on_three(lambda: large.assign_add(large.read_value()))
    freed, handle = cores().memory.freed, large.name.partition(":")[0]
    for _ in range(3):  # nobody reads what these leave
        session.run(grow)
        assert sum(map(len, freed)) <= 1
    state = session._executor.state
    with ThreadPoolExecutor(8) as threads:
        found = set(map(id, threads.map(lambda _: state.read(handle), range(64))))
    assert len(found) == 1
    array = state.read(handle)
    session.run(grow)
    held = sum(map(len, freed))
    np.testing.assert_array_equal(array, np.full(LARGE, 8, np.float32))
    del array
    assert sum(map(len, freed)) == held + 1, "its block is free once nobody reads it"


def test_values_outlive_the_processes_that_left_them(session):
    large, small = variables()
    session.run(tf.global_variables_initializer())
    grow = on_three(lambda: [large.assign_add(large.read_value()), small.assign(7.0)])
    read = on_three(lambda: tf.reduce_sum(large.read_value()) * small.read_value())
    session.run(grow)
    session.run(tf.tpu.initialize_system())
    assert session.run(read) == [(2.0 * LARGE * 7.0,)] * 3
    session.run(grow)
    session.run(tf.tpu.initialize_system())
    assert session.run(large).sum() == 4.0 * LARGE
    assert session.run(read) == [(4.0 * LARGE * 7.0,)] * 3


def test_a_constant_stays_from_its_second_use_on(session):
    def used():
        gc.collect()
        cores().memory.free_returned()
        return int(cores().memory.heap.used_bytes)

    before = used()
    with tf.Graph().as_default(), tf.Session() as other:
        constants = [np.full(LARGE, r, np.float32) for r in range(3)]
        fetch = tf.tpu.replicate(tf.reduce_sum, [[tf.constant(c)] for c in constants])
        held = []
        for _ in range(4):
            assert other.run(fetch) == [(r * LARGE,) for r in range(3)]
            held.append(used())
        assert held[0] == before and held[1] == held[3]
        assert held[1] - before >= 3 * constants[0].nbytes
    del fetch, other
    assert used() == before


def test_what_is_fed_is_read_anew_each_time(session):
    x = tf.placeholder(tf.float32, [LARGE])
    fetch = tf.tpu.replicate(tf.reduce_sum, [[x]] * 3)
    data = np.ones(LARGE, np.float32)
    data.setflags(write=False)
    assert session.run(fetch, {x: data}) == [(LARGE,)] * 3
    assert session.run(fetch, {x: data}) == [(LARGE,)] * 3
    data.setflags(write=True)
    data[:] = 2.0
    data.setflags(write=False)
    assert session.run(fetch, {x: data}) == [(2 * LARGE,)] * 3


def test_equal_components_are_one_array_in_each_process(monkeypatch):
    """So replicas compute once what they share, and the host moves it once."""
    counts = []
    tf.enable_v2_behavior()
    with tf.config.override(executor="pool", cores=4, processes=2):
        tf.tpu.experimental.initialize_tpu_system()
        strategy = tf.distribute.TPUStrategy()
        (system,) = LOCAL._systems.values()
        post = system._executor._cores.post_each

        def noting(messages):
            for kind, *content in messages.values():
                if kind == "run":
                    variables = RunRequest(*content).variables
                    places = {sharing_key(place) for _, place in variables}
                    counts.append((len(variables), len(places)))
            post(messages)

        monkeypatch.setattr(system._executor._cores, "post_each", noting)
        with strategy.scope():
            v = tf.Variable(np.ones(LARGE, np.float32))

        def step():
            replica = tf.distribute.get_replica_context()
            own = tf.cast(replica.replica_id_in_sync_group, tf.float32)
            v.assign_add(replica.all_reduce("SUM", tf.fill([LARGE], own)))

        whole = tf.function(lambda: strategy.run(step))
        for _ in range(3):
            whole()
        parts = [part.numpy() for part in strategy.experimental_local_results(v)]
    np.testing.assert_array_equal(parts, np.full((4, LARGE), 19, np.float32))
    assert counts == [(2, 1)] * 2 + [(0, 0)] * 4  # each process has two replicas


def test_a_process_keeps_only_what_a_run_leaves_in_the_variables(told):
    large, small = variables()
    index = tf.placeholder(tf.int32, [])

    def computation():
        grown = large.assign_add(tf.ones([LARGE])), small.assign_add(1.0)
        with tf.control_dependencies(grown):
            return tf.gather([0.0], index) + large.read_value()[0], small.read_value()

    session, fetch = tf.get_default_session(), tf.tpu.replicate(computation, [[]])
    session.run(tf.global_variables_initializer())

    def told_in_a_run(at=0):
        told.clear()
        found = session.run(fetch, {index: at})
        return list(found[0]), [sorted(handles) for handles in told]

    assert told_in_a_run() == ([2.0, 3.0], [["large", "small"]])
    assert told_in_a_run() == ([3.0, 4.0], [[]])
    with pytest.raises(InvalidArgumentError):
        told_in_a_run(1)
    assert told_in_a_run() == ([4.0, 5.0], [[]])
    session.run(small.assign(8.0))
    assert told_in_a_run() == ([5.0, 9.0], [["small"]])


def test_a_process_is_not_told_of_slots_that_others_update(told):
    def computation():
        loss = tf.reduce_sum(tf.square(large)) + tf.reduce_sum(tf.square(other))
        optimizer = tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(0.5))
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return tf.identity(loss)

    large, other = (
        tf.get_variable(name, initializer=np.ones(LARGE, np.float32))
        for name in ("large", "other")
    )
    session, fetch = tf.get_default_session(), on_three(computation)
    session.run(tf.global_variables_initializer())
    everything = {v.name.partition(":")[0] for v in tf.global_variables()}

    def told_in_a_run(**options):
        told.clear()
        session.run(fetch, **options)
        return [set(handles) for handles in told]

    assert told_in_a_run() == [everything] * 2
    full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    traced = {"options": full, "run_metadata": tf.RunMetadata()}
    for _ in range(2):
        for _ in range(2):
            one, two = told_in_a_run()
            assert {"large", "other"} <= one | two <= {*everything}
            assert not any("/Adam" in handle for handle in one | two)
            assert one.isdisjoint(two), "each keeps what it has written"
        one, two = told_in_a_run(**traced)
        assert one | two == everything, "with an observer both update all"
        told_in_a_run()
