"""Sessions on a server: values, variables, host functions, errors, reports."""

import concurrent.futures
import threading

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.remote import served_session
from tpuref.engine.remote import session as client

from ..crashes.processes import eventually

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")


@pytest.mark.parametrize(
    "value",
    [
        np.float32(1.5),
        np.arange(6, dtype=np.int16).reshape(2, 3),
        np.array([True, False]),
        np.array([1 + 2j]),
        np.array([1.5, -2.0], ml_dtypes.bfloat16),
        np.zeros((2, 0, 3), np.uint64),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(20)[::3],
        np.array([[b"a", b"\xff\0"], ["ü".encode(), b""]], object),
    ],
)
def test_values_come_back_as_they_went(value, remote):
    x = tf.placeholder(tf.as_dtype(value.dtype), None)
    result = remote.run(tf.identity(x), {x: value})
    assert result.dtype == value.dtype and result.shape == value.shape
    np.testing.assert_array_equal(result, value)


def test_a_program_is_sent_once(remote, monkeypatch):
    sent, put = [], client.put_program

    def put_program(bundle, program):
        sent.append(program.name)
        return put(bundle, program)

    monkeypatch.setattr(client, "put_program", put_program)
    x = tf.placeholder(tf.int32, [])
    y = x * 2
    assert [remote.run(y, {x: n}) for n in range(5)] == [0, 2, 4, 6, 8]
    assert len(sent) == 1


def test_programs_beyond_the_limit_are_sent_again(remote, monkeypatch):
    monkeypatch.setattr(client, "CACHED_PROGRAMS", 2)
    monkeypatch.setattr(served_session, "MAX_PROGRAMS", 3)
    constants = [tf.constant(n) for n in range(6)]
    for _ in range(2):
        assert [remote.run(c) for c in constants] == list(range(6))


def test_sessions_of_one_server_share_variables(server):
    v = tf.Variable([1.0, 2.0], name="v")
    config = tf.ConfigProto(isolate_session_state=True)
    with tf.Session(server.target) as session:
        session.run(v.initializer)
        session.run(v.assign_add([1.0, 1.0]))
    with tf.Session(server.target) as other:
        np.testing.assert_array_equal(other.run(v), [2.0, 3.0])
        with tf.Session(server.target, config=config) as own:
            assert not own.run(tf.is_variable_initialized(v))
    with tf.Graph().as_default(), tf.Session(server.target) as third:
        again = tf.Variable([0.0, 0.0], name="v")
        np.testing.assert_array_equal(third.run(again), [2.0, 3.0])


def test_isolated_sessions_share_the_queues_of_the_cores(server):
    queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=1)
    config = tf.ConfigProto(isolate_session_state=True)
    with tf.Graph().as_default() as feeding:
        fed = [[tf.constant([1.0 + core])] for core in range(2)]
        enqueues = queue.generate_enqueue_ops(fed)
    with tf.Graph().as_default() as computing:
        outs = tf.tpu.replicate(lambda x: 2 * x, [[]] * 2, infeed_queue=queue)
    with (
        tf.Session(server.target, graph=feeding, config=config) as fills,
        tf.Session(server.target, graph=computing, config=config) as empties,
    ):
        for _ in range(2):
            fills.run(enqueues)
            assert np.ravel(empties.run(outs)).tolist() == [2.0, 4.0]


def test_a_cluster_definition_makes_the_session_isolated(server):
    v = tf.Variable(1.0)
    spec = tf.train.ClusterSpec({"tpu": ["a:1"]})
    config = tf.ConfigProto(cluster_def=spec.as_cluster_def())
    with tf.Session(server.target) as shared:
        shared.run(v.initializer)
        with tf.Session(server.target, config=config) as own:
            assert all("/job:tpu/" in d.name for d in own.list_devices())
            assert not own.run(tf.is_variable_initialized(v))
            with tf.device("/job:worker"):
                elsewhere = tf.constant(1)
            with pytest.raises(tf.errors.InvalidArgumentError, match="no job 'worker'"):
                own.run(elsewhere)
            assert shared.run(elsewhere) == 1


def test_reset_forgets_the_variables_and_ends_the_sessions(server):
    v = tf.Variable(1.0, name="v")
    session = tf.Session(server.target)
    session.run(v.initializer)
    tf.Session.reset(server.target)
    with pytest.raises(tf.errors.AbortedError, match=r"create a new tf\.Session"):
        session.run(v)
    with tf.Session(server.target) as fresh:
        assert not fresh.run(tf.is_variable_initialized(v))


def test_the_devices_are_those_of_the_server(remote):
    devices = remote.list_devices()
    prefix = "/job:worker/replica:0/task:0/device:"
    names = [prefix + name for name in ("CPU:0", "TPU:0", "TPU:1")]
    assert [device.name for device in devices] == names
    assert [device.device_type for device in devices] == ["CPU", "TPU", "TPU"]
    assert all(device.memory_limit_bytes > 0 for device in devices)
    assert remote.list_devices() == devices


def test_the_system_is_started_and_stopped_at_the_server(server):
    with tf.Session(server.target) as session, tf.Session(server.target) as other:
        serialized = session.run(tf.tpu.initialize_system())
        assert tf.contrib.tpu.Topology(serialized=serialized).num_cores == 2
        other.run(tf.tpu.shutdown_system())  # where it stopped
        with pytest.raises(tf.errors.FailedPreconditionError) as raised:
            session.run(tf.tpu.rewrite(lambda: tf.constant(1)))
        assert "# where it stopped" in str(raised.value)
        with tf.Session() as local:  # has a system of its own
            local.run(tf.tpu.rewrite(lambda: tf.constant(1)))


def test_host_functions_run_in_the_thread_of_the_client(remote):
    seen: list[int] = []

    def tripled(x):
        seen.append(threading.get_ident())
        return 3 * x

    def computation(x):
        function = tf.tpu.outside_compilation
        return function(lambda a: tf.py_func(tripled, [a], tf.float32), x) + 1.0

    out = tf.tpu.replicate(computation, [[1.0], [2.0]])
    assert [float(y) for (y,) in remote.run(out)] == [4.0, 7.0]
    assert seen == [threading.get_ident()] * 2


def test_a_host_function_may_run_the_session(remote):
    v = tf.Variable(5.0)
    remote.run(v.initializer)
    out = tf.py_func(lambda: remote.run(v.assign_add(1.0)), [], tf.float32)
    assert remote.run(out) == 6.0


def test_datasets_stay_with_the_client(remote):
    dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * x)
    element = dataset.make_one_shot_iterator().get_next()
    assert [remote.run(element) for _ in range(3)] == [1, 4, 9]
    with pytest.raises(tf.errors.OutOfRangeError, match="end of sequence"):
        remote.run(element)


def test_a_dataset_reads_the_variables_of_the_server(remote):
    v = tf.Variable(np.int32(10))
    dataset = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.int32) + v)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    remote.run(iterator.initializer)
    with pytest.raises(tf.errors.FailedPreconditionError, match="no value yet"):
        remote.run(element)
    remote.run([v.initializer, iterator.initializer])
    assert remote.run(element) == 10
    remote.run(v.assign(20))
    assert remote.run(element) == 21


def test_runs_of_several_threads_do_not_wait_for_each_other(remote):
    together = threading.Barrier(4)

    def meet(x):
        together.wait(30)
        return x

    x = tf.placeholder(tf.int32, [])
    out = tf.py_func(meet, [x], tf.int32)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda n: remote.run(out, {x: n}), range(4))
        assert list(found) == [0, 1, 2, 3]


def test_an_error_keeps_class_operation_and_line(remote):
    x = tf.placeholder(tf.int32, [])
    bad = tf.gather([1, 2, 3], x, name="lookup")  # the user's line
    errors = []
    for session in (remote, tf.Session()):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(bad, {x: 7})
        errors.append(raised.value)
    there, here = errors
    assert str(there) == str(here)
    assert (there.op, there.site.line) == (here.op, here.site.line)
    assert there.op is bad.op and "# the user's line" in str(there)


def test_an_error_of_a_host_function_keeps_its_cause(remote):
    own = KeyError("mine")

    def fail():
        raise own

    out = tf.py_func(fail, [], tf.int32, name="failing")
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'mine'") as raised:
        remote.run(out)
    assert raised.value.__cause__ is own and raised.value.op is out.op


def test_an_interrupt_in_a_host_function_gives_up_the_run(remote):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        remote.run(tf.py_func(interrupt, [], tf.int32))
    assert remote.run(tf.constant(1)) == 1


def test_an_endless_run_ends_with_its_session(server):
    served = server._serving._shared
    loop = tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [0])
    session = tf.Session(server.target)
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        run = threads.submit(session.run, loop)
        assert eventually(lambda: any(s._runs for s in served.sessions), 60)
        (state,) = served.sessions
        session.close()
        with pytest.raises(tf.errors.CancelledError, match="run waited.*E130"):
            run.result(60)
    assert eventually(lambda: not served.sessions and not state._runs, 60)


def test_sessions_that_nobody_holds_end_and_those_of_a_server_that_stops(server):
    served = server._serving._shared
    for _ in range(3):
        tf.Session(server.target).run(tf.constant(1))
    assert eventually(lambda: not served.sessions, 60)
    closed, session = tf.Session(server.target), tf.Session(server.target)
    closed.close()
    closed.close()
    with pytest.raises(RuntimeError, match="the session is closed"):
        closed.run(tf.constant(1))
    server.stop()
    with pytest.raises(tf.errors.UnavailableError, match="the server was stopped"):
        session.run(tf.constant(1))
    with pytest.raises(tf.errors.UnavailableError, match="cannot be reached"):
        tf.Session(server.target)


def test_the_trace_tells_what_ran_where(remote):
    out = tf.tpu.replicate(lambda x: tf.add(x, 1.0, name="more"), [[1.0], [2.0]])
    metadata = tf.RunMetadata()
    remote.run(out, None, tf.RunOptions(trace_level=3), metadata)
    found = {r.replica: r.device for r in metadata.core_trace if r.operation == "more"}
    device = "/job:worker/replica:0/task:0/device:TPU:"
    assert found == {0: device + "0", 1: device + "1"}


def test_the_padding_report_is_that_of_a_local_run(remote):
    x, y = (tf.placeholder(tf.float32, [None]) for _ in range(2))
    shapes = [tf.TensorShape([None])]
    total = tf.tpu.replicate(tf.reduce_sum, [[x], [y]], maximum_shapes=shapes)
    feeds = {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]}
    remote.run(total, feeds)
    there = tf.padding_report()
    tf.get_default_graph().padding_log.clear()
    tf.Session().run(total, feeds)
    assert there == tf.padding_report() and there.inputs[0].forced_by == (1,)
