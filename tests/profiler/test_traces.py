"""Traces of programs: what is in them, on lockstep and on the pool."""

import gzip
import json
import os
import signal
import socket
import threading
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.meaning import recording

from .trace_format import check, checked_tracks

EXECUTORS = ["lockstep", "pool"]


@pytest.fixture(params=EXECUTORS, scope="module")
def executor(request):
    with tf.config.override(executor=request.param, cores=2):
        yield request.param


@pytest.fixture
def pool():
    with tf.config.override(executor="pool", cores=2):
        yield


def traced(path, *fetches):
    """Run the fetches one by one; return summary, tracks and events of the trace."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with tf.profiler.trace(path) as profile:
            for fetch in fetches:
                session.run(fetch)
    return profile.summary, *read(path)


def read(path):
    content = json.loads(path.read_text())
    return checked_tracks(content), content["traceEvents"]


def slices(track, name):
    return [event for event in track if event["name"] == name]


def summing(x):
    doubled = tf.add(x, x, name="doubled")
    return tf.tpu.cross_replica_sum(doubled, name="total")


def test_operations_of_each_core(executor, tmp_path):
    outputs = tf.tpu.replicate(summing, [[tf.ones([3, 4])], [tf.zeros([3, 4])]])
    summary, tracks, _ = traced(tmp_path / "t.json", outputs)
    assert list(tracks) == ["MainThread", "core 0", "core 1"]
    for core in (0, 1):
        (doubled,) = slices(tracks[f"core {core}"], "doubled")
        (total,) = slices(tracks[f"core {core}"], "total")
        assert doubled["ts"] + doubled["dur"] <= total["ts"]
        args = doubled["args"]
        assert args["type"] == "AddV2" and args["replica"] == core
        assert args["outputs"] == ["float32[3, 4]"] and args["bytes"] == 48
        assert 'doubled = tf.add(x, x, name="doubled")' in args["line"]
        assert f"{Path(__file__).name}:" in args["line"]
    assert summary.collective_bytes == 2 * 48
    assert {o.name for o in summary.operations} >= {"doubled", "total"}


def test_a_collective_has_an_arrow_and_counts_its_bytes(executor, tmp_path):
    outputs = tf.tpu.replicate(summing, [[1.0], [2.0]])
    _, tracks, events = traced(tmp_path / "t.json", outputs, outputs)
    arrows = [e for e in events if e["ph"] in ("s", "f")]
    assert [e["name"] for e in arrows] == ["collective"] * 4
    assert len({e["tid"] for e in arrows}) == 2
    totals = [e for track in tracks.values() for e in slices(track, "total")]
    assert {e["ts"] for e in arrows if e["ph"] == "s"} <= {e["ts"] for e in totals}
    counted = [e["args"]["bytes"] for e in events if e["name"] == "core 1: summed"]
    assert counted == [4, 8]


def test_who_comes_first_waits_for_the_last(pool, tmp_path):
    def computation(replica):
        turned = tf.while_loop(lambda k: k < 2000 * replica, lambda k: k + 1, [0])
        return tf.tpu.cross_replica_sum(turned, name="total")

    outputs = tf.tpu.replicate(computation, [[0], [1]])
    summary, tracks, _ = traced(tmp_path / "t.json", outputs)
    totals = [slices(tracks[f"core {core}"], "total")[0] for core in (0, 1)]
    first, last = sorted(totals, key=lambda e: e["ts"])
    (wait,) = (e for track in tracks.values() for e in slices(track, "wait"))
    assert wait["tid"] == first["tid"] and wait["args"] == {"for": "total"}
    assert wait["ts"] + wait["dur"] == pytest.approx(last["ts"])
    assert last["args"]["waited us"] == 0.0
    waited = last["ts"] - first["ts"]
    assert first["args"]["waited us"] == pytest.approx(waited)
    assert max(core.waiting for core in summary.cores) == pytest.approx(waited / 1e6)


def test_calls_of_the_host(executor, tmp_path):
    def computation(x):
        return tf.tpu.outside_compilation(
            lambda: tf.py_func(np.negative, [x], tf.float32, name="called")
        )

    outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
    _, tracks, _ = traced(tmp_path / "t.json", outputs)
    called = slices(tracks["MainThread"], "called")
    assert sorted(e["args"]["replica"] for e in called) == [0, 1]
    assert {e["cat"] for e in called} == {"host call"}
    assert (
        'py_func(np.negative, [x], tf.float32, name="called")'
        in (called[0]["args"]["line"])
    )


def test_the_host_compiles_sends_and_waits(pool, tmp_path):
    outputs = tf.tpu.replicate(summing, [[tf.ones([1000])], [tf.zeros([1000])]])
    _, tracks, events = traced(tmp_path / "t.json", outputs, outputs)
    assert [e["name"] for e in tracks["MainThread"] if e["cat"] == "step"] == [
        *("Session.run", "compile", "start cores", "send to cores", "wait for cores"),
        *("Session.run", "send to cores", "wait for cores"),
    ]
    (sent,) = {
        e["args"]["bytes"] for e in slices(tracks["MainThread"], "send to cores")
    }
    assert sent == 8000
    counted = [e["args"]["bytes"] for e in events if e["name"] == "sent to cores"]
    assert counted == [8000, 16000]
    assert len(slices(tracks["core 0"], "prepare")) == 1
    replicated = [e for e in tracks["MainThread"] if e["args"].get("type")]
    assert "TPUReplicate" in [e["args"]["type"] for e in replicated]


def test_values_that_cross_between_cores(tmp_path):
    def computation(x):
        with tf.device(tf.tpu.core(1)):
            y = x * 2.0
        return y + 1.0

    with tf.config.override(executor="pool", topology="1x1x2"):
        topology = tf.contrib.tpu.Topology.for_cores(2)
        pair = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=1)
        outputs = tf.tpu.replicate(
            computation, [[tf.ones([5])]], device_assignment=pair
        )
        summary, tracks, events = traced(tmp_path / "t.json", outputs)
    (sent,) = slices(tracks["core 1"], "send")
    (received,) = slices(tracks["core 0"], "receive")
    assert sent["args"]["bytes"] == received["args"]["bytes"] == 20
    assert received["args"]["for"] == "AddV2"
    end, start = sorted((e for e in events if e["ph"] in "sf"), key=lambda e: e["ph"])
    assert start["ts"] == sent["ts"] and start["tid"] == sent["tid"]
    assert end["tid"] == received["tid"] and end["name"] == "transfer"
    assert summary.transferred_bytes == 20


def test_loops_and_branches_nest(pool, tmp_path):
    def computation(x):
        turned = tf.while_loop(
            lambda k, _: k < 3,
            lambda k, y: (k + 1, tf.tpu.cross_replica_sum(y)),
            [0, x],
        )[1]
        return tf.cond(x > 1.0, lambda: turned * 2.0, lambda: turned)

    outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
    summary, tracks, events = traced(tmp_path / "t.json", outputs)
    loop = next(e for e in tracks["core 0"] if e["args"].get("type") == "While")
    sums = [e for e in tracks["core 0"] if e["cat"] == "collective"]
    assert len(sums) == 3
    for inner in sums:
        assert loop["ts"] < inner["ts"] and inner["ts"] + inner["dur"] <= (
            loop["ts"] + loop["dur"]
        )
    assert len([e for e in events if e["ph"] == "s"]) == 3
    own = next(o for o in summary.operations if o.type == "While")
    assert own.seconds < 2 * loop["dur"] / 1e6  # without what is inside


def test_fused_steps_over_a_dataset(executor, tmp_path, strategy_of):
    strategy = strategy_of(2)
    aggregation = tf.VariableAggregation.SUM
    with strategy.scope():
        total = tf.get_variable("total", initializer=0.0, aggregation=aggregation)

        def step(context, x):
            added = strategy.reduce(aggregation, x, total)
            strategy.update(total, lambda v, a: v.assign_add(a), added)

        dataset = tf.data.Dataset.from_tensor_slices(np.ones([20], np.float32))
        iterator = strategy.distribute_dataset(lambda: dataset)
        iterator = iterator.make_one_shot_iterator()
        fused = strategy.run_steps_on_dataset(step, iterator, iterations=5).run_op
    _, tracks, _ = traced(tmp_path / "t.json", fused)
    for core in (0, 1):
        assert len([e for e in tracks[f"core {core}"] if e["cat"] == "collective"]) == 5
    assert any(e["args"].get("type") == "FeedDequeue" for e in tracks["MainThread"])


def test_infeed(executor, tmp_path):
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    queue.set_number_of_shards(2)
    enqueue = queue.generate_enqueue_ops([[tf.ones([2])], [tf.ones([2])]])
    outputs = tf.tpu.replicate(lambda x: x + 1.0, [[], []], infeed_queue=queue)
    _, tracks, _ = traced(tmp_path / "t.json", enqueue, outputs)
    types = [e["args"].get("type") for e in tracks["MainThread"]]
    assert types.count("InfeedEnqueueTuple") == 2
    assert types.count("InfeedDequeueTuple") == 2


def test_eager_mode(tmp_path, eager):
    with tf.profiler.trace(tmp_path / "t.json"):
        tf.constant([1.0]) + 1.0
    tracks, _ = read(tmp_path / "t.json")
    assert [e["args"]["type"] for e in tracks["MainThread"]] == ["AddV2"]


def test_of_a_long_run_the_latest_events_are_kept(executor, tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "CAPACITY", 50)

    def computation(x):
        return tf.while_loop(
            lambda k, _: k < 100,
            lambda k, y: (k + 1, tf.tpu.cross_replica_sum(y) / 2.0),
            [0, x],
        )[1]

    outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
    summary, tracks, events = traced(tmp_path / "t.json", outputs)
    kept = [e for e in tracks["core 0"] if e["cat"] != "wait"]
    assert len(kept) == 50
    core = summary.cores[0]
    assert core.events == core.dropped + 50 and core.dropped > 300
    assert "early events were dropped" in str(summary)
    (note,) = (e for e in events if e["ph"] == "i" and e["tid"] == kept[0]["tid"])
    assert note["name"] == f"{core.dropped} events before this one were dropped"
    dropped = json.loads((tmp_path / "t.json").read_text())["otherData"]
    assert dropped["events dropped"]["core 0"] == core.dropped
    starts = [e for e in events if e["ph"] == "s"]  # the same sums on both cores
    assert 5 < len(starts) < 20


def test_an_error_leaves_the_trace_up_to_it(executor, tmp_path):
    outputs = tf.tpu.replicate(
        lambda i: tf.gather([1, 2], tf.identity(i, name="before"), name="failing"),
        [[0], [7]],
    )
    path = tmp_path / "t.json"
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        traced(path, outputs)
    tracks, _ = read(path)
    assert len(slices(tracks["core 1"], "before")) == 1
    (failing,) = slices(tracks["core 1"], "failing")
    assert "outputs" not in failing["args"]


def test_a_lost_core_leaves_the_trace_of_the_others(pool, tmp_path):
    def kill(replica):
        if replica == 1:
            path = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
            os.kill(int(Path(path).read_text().split()[-1]), signal.SIGKILL)
        return replica

    def computation(replica):
        x = tf.identity(replica, name="before")
        x = tf.tpu.outside_compilation(lambda: tf.py_func(kill, [x], tf.int32))
        return tf.tpu.cross_replica_sum(tf.reshape(x, []), name="total")

    path = tmp_path / "t.json"
    with pytest.raises(tf.errors.AbortedError, match="lost core 1"):
        traced(path, tf.tpu.replicate(computation, [[0], [1]]))
    tracks, _ = read(path)
    assert len(slices(tracks["core 0"], "before")) == 1
    assert "core 1" not in tracks
    with tf.Session() as session:
        session.run(tf.tpu.initialize_system())


def test_a_sum_that_never_comes_is_all_waiting(pool, tmp_path):
    def computation(x):
        return tf.cond(x > 0.0, lambda: tf.tpu.cross_replica_sum(x), lambda: x)

    path = tmp_path / "t.json"
    with pytest.raises(tf.errors.InvalidArgumentError, match="wait for"):
        traced(path, tf.tpu.replicate(computation, [[1.0], [0.0]]))
    tracks, events = read(path)
    (total,) = (e for e in tracks["core 0"] if e["cat"] == "collective")
    assert total["args"]["waited us"] == total["dur"]
    assert not [e for e in events if e["ph"] in ("s", "t", "f")]


def test_start_and_stop(tmp_path):
    path = tmp_path / "t.json"
    tf.profiler.start(path)
    with pytest.raises(tf.errors.AlreadyExistsError, match=r"test_traces\.py.*E194"):
        tf.profiler.start(tmp_path / "other.json")
    with tf.Session() as session:
        session.run(tf.constant(1.0) + 1.0)
    summary = tf.profiler.stop()
    tracks, _ = read(path)
    assert slices(tracks["MainThread"], "Session.run")
    assert summary.cores == () and "early" not in str(summary)
    with pytest.raises(tf.errors.UnavailableError, match="no profile is running"):
        tf.profiler.stop()
    with tf.Session() as session:
        session.run(tf.constant(1.0) + 1.0)
    assert recording.active() is None


def test_a_file_that_cannot_be_written_is_refused_at_the_start(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
        tf.profiler.start(tmp_path / "nowhere" / "t.json")
    assert recording.active() is None
    with tf.profiler.trace(tmp_path / "t.json"):
        tf.profiler.stop()
    check(json.loads((tmp_path / "t.json").read_text()))  # of nothing at all
    assert recording.active() is None


def test_threads_have_tracks_of_their_own(executor, tmp_path):
    fetch = tf.reduce_sum(tf.ones([10]), name="mine")
    with tf.Session() as session, tf.profiler.trace(tmp_path / "t.json"):
        thread = threading.Thread(target=lambda: session.run(fetch), name="second")
        thread.start()
        session.run(fetch)
        thread.join()
    tracks, _ = read(tmp_path / "t.json")
    assert slices(tracks["second"], "mine") and slices(tracks["MainThread"], "mine")


def test_the_names_of_tensorflow(tmp_path):
    folder = tmp_path / "logs"
    with (
        tf.profiler.experimental.Profile(folder),
        tf.Session() as session,
        tf.profiler.experimental.Trace("train", step_num=np.int32(3)) as step,
    ):
        step.set_metadata(kind="first")
        session.run(tf.constant(1.0) + 1.0)
    (path,) = folder.glob("plugins/profile/*/*")
    assert path.name == f"{socket.gethostname()}.trace.json.gz"
    tracks = checked_tracks(json.loads(gzip.decompress(path.read_bytes())))
    (train,) = slices(tracks["MainThread"], "train")
    assert train["args"] == {"step_num": "3", "kind": "first"}
    tf.profiler.experimental.start(folder)
    tf.profiler.experimental.stop(save=False)
    assert tf.profiler.experimental.Trace("untraced").__exit__(None, None, None) is None
