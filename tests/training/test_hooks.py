"""Hooks and monitored sessions.

What is called when, which errors end a session and what is logged were compared with
TensorFlow 1.15.5, where the same programs gave the same.
"""

import json
import logging
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf


class Recorder(tf.train.SessionRunHook):
    """Notes what it is told, in a list that several share; may fail at a run."""

    def __init__(self, told, name="", fails=None, at=0):
        self.told, self.name, self.fails, self.at, self.runs = told, name, fails, at, 0

    def begin(self):
        self.told.append(f"{self.name} begin")
        self.step = tf.train.get_or_create_global_step()

    def after_create_session(self, session, coord):
        self.told.append(f"{self.name} created {session.run(self.step)}")
        self.coord = coord

    def before_run(self, run_context):
        self.told.append(f"{self.name} before")
        return tf.train.SessionRunArgs({"step": self.step})

    def after_run(self, run_context, run_values):
        self.told.append(f"{self.name} after {sorted(run_values.results)}")
        self.runs += 1
        if self.fails is not None and self.runs == self.at:
            raise self.fails

    def end(self, session):
        self.told.append(f"{self.name} end {session.run(self.step)}")


@pytest.fixture
def train_op():
    """An operation that takes a step."""
    with tf.control_dependencies([tf.train.get_or_create_global_step().assign_add(1)]):
        return tf.constant(7)


def run_to_the_end(session, fetches):
    results = []
    while not session.should_stop():
        results.append(session.run(fetches))
    return results


def events_of(folder):
    (path,) = folder.glob("events*")
    return list(tf.train.summary_iterator(str(path)))


def test_the_order_of_calls(train_op):
    told = []
    stop = tf.train.StopAtStepHook(num_steps=2)
    hooks = [Recorder(told, "a"), stop, Recorder(told, "b")]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        assert tf.get_default_graph().finalized
        assert run_to_the_end(session, train_op) == [7, 7]
    assert not tf.get_default_graph().finalized
    run = ["a before", "b before", "a after ['step']", "b after ['step']"]
    start = ["a begin", "b begin", "a created 0", "b created 0"]
    assert told == [*start, *run, *run, "a end 2", "b end 2"]


@pytest.mark.parametrize(
    ("error", "goes_on", "end"),
    [
        (tf.errors.AbortedError("lost"), True, None),
        (tf.errors.UnavailableError("lost"), True, None),
        (tf.errors.OutOfRangeError("over"), False, None),
        (StopIteration(), False, None),
        (tf.errors.InternalError("broken"), False, tf.errors.InternalError),
        (KeyError("broken"), False, KeyError),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_that_end_a_session_and_others(error, goes_on, end, tmp_path, train_op):
    told = []
    hooks = [tf.train.StopAtStepHook(last_step=6), Recorder(told, "a", error, at=4)]
    raised, done = None, 0
    try:
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), hooks=hooks, save_checkpoint_steps=2
        ) as session:
            while not session.should_stop():
                session.run(train_op)
                done += 1
    except Exception as caught:
        raised = type(caught)
    assert raised is end
    created = [one for one in told if "created" in one]
    assert created == ["a created 0", *(["a created 4"] if goes_on else [])]
    # The fourth run failed after its step was taken and saved.
    assert done == (5 if goes_on else 3)
    ended = ["a end 6" if goes_on else "a end 4"] if end is None else []
    assert [one for one in told if "end" in one] == ended


def test_a_singular_session_does_not_recover(train_op):
    lost = tf.errors.AbortedError("lost")
    session = tf.train.SingularMonitoredSession([Recorder([], "a", lost, at=1)])
    with pytest.raises(tf.errors.AbortedError), session:
        session.run(train_op)


def test_a_lost_session_begins_without_a_checkpoint_too(train_op):
    told = []
    recorder = Recorder(told, "a", tf.errors.AbortedError("lost"), at=3)
    with tf.train.MonitoredSession(hooks=[recorder]) as session:
        steps = [session.run([train_op, recorder.step])[1] for _ in range(3)]
    # Without a checkpoint the third run begins anew.
    assert told[-1] == "a end 1" and len(steps) == 3


def test_run_step_fn(train_op):
    told = []
    recorder = Recorder(told, "a")

    def step(step_context):
        raw = step_context.session.run(recorder.step)
        assert "a before" not in told
        return raw, step_context.run_with_hooks(train_op)

    with tf.train.MonitoredSession(hooks=[recorder]) as session:
        assert session.run_step_fn(step) == (0, 7)
        with pytest.raises(ValueError, match="must have one parameter"):
            session.run_step_fn(lambda other: None)
        session.run_step_fn(lambda step_context: step_context.request_stop())
        raise AssertionError("request_stop leaves the block")
    assert session.should_stop() and told[-1] == "a end 1"


def test_feeds_of_hooks_and_the_caller():
    x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    both = 10 * x + y

    class Feeding(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs([], {x: 1})

    ones, twos = Feeding(), Feeding()
    with tf.train.MonitoredSession(hooks=[ones]) as session:
        assert session.run(both, {y: 5}) == 15
        with pytest.raises(RuntimeError, match="by a hook and the caller.*E132"):
            session.run(both, {x: 2, y: 5})
    refusal = pytest.raises(RuntimeError, match="by two hooks")
    with tf.train.MonitoredSession(hooks=[ones, twos]) as session, refusal:
        session.run(both, {y: 5})


def test_runs_after_a_stop_and_after_the_end(train_op):
    hooks = [tf.train.StopAtStepHook(num_steps=1)]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        session.run(train_op)
        with pytest.raises(RuntimeError, match="requested a stop"):
            session.run(train_op)
    for again in (session.close, lambda: session.run(train_op)):
        with pytest.raises(RuntimeError, match="is closed"):
            again()


def test_a_trace_is_kept_where_the_caller_or_a_hook_asks():
    class Traces(tf.train.SessionRunHook):
        def before_run(self, run_context):
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            return tf.train.SessionRunArgs(None, options=options)

        def after_run(self, run_context, run_values):
            self.trace = run_values.run_metadata.core_trace

    (total,) = tf.tpu.shard(lambda v: v + 1, [tf.constant([1, 2])], num_shards=2)
    hook = Traces()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(total).tolist() == [2, 3]
    assert {one.replica for one in hook.trace} == {0, 1}


def test_preparing_variables():
    v = tf.get_variable("v", initializer=1.0)
    local = tf.get_variable("l", initializer=2.0, collections=["local_variables"])
    fed = tf.placeholder(tf.float32, [])
    assign = v.assign(fed)
    first = tf.train.Scaffold(
        init_op=assign,
        init_feed_dict={fed: 4.0},
        init_fn=lambda scaffold, session: session.run(assign, {fed: v_plus_5(session)}),
    )

    def v_plus_5(session):
        return session.run(v) + 5.0

    creator = tf.train.ChiefSessionCreator(tf.train.Scaffold(copy_from_scaffold=first))
    with tf.train.MonitoredSession(creator) as session:
        assert session.run([v, local]) == [9.0, 2.0]


def test_variables_that_are_not_prepared():
    v, _ = tf.get_variable("v", initializer=1.0), tf.get_variable("w", initializer=1.0)
    scaffold = tf.train.Scaffold(init_op=v.initializer)
    with pytest.raises(RuntimeError, match="local_init_op: w;"):
        tf.train.SingularMonitoredSession(scaffold=scaffold)


def test_two_init_ops():
    for _ in range(2):
        tf.add_to_collection("init_op", tf.no_op())
    with pytest.raises(RuntimeError, match=r"Scaffold\(init_op="):
        tf.train.MonitoredSession()


def test_a_worker_waits_for_the_variables():
    tf.get_variable("v", initializer=1.0)
    creator = tf.train.WorkerSessionCreator(max_wait_secs=0)
    with pytest.raises(tf.errors.DeadlineExceededError, match="after 0 s: v;"):
        creator.create_session()


def test_the_timer():
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    assert [
        (step, timer.update_last_triggered_step(step)[1])
        for step in (0, 1, 2, 3, 3, 7, 9, 10, 12)
        if timer.should_trigger_for_step(step)
    ] == [(0, None), (3, 3), (7, 4), (10, 3)]


def test_nan():
    loss = tf.constant([1.0, np.nan])
    error = tf.train.NanLossDuringTrainingError
    refusal = pytest.raises(error, match="NaN loss during.*E243")
    hook = tf.train.NanTensorHook(loss)
    with refusal, tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(loss)
    hook = tf.train.NanTensorHook(loss, fail_on_nan_loss=False)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(loss)
        assert session.should_stop()


def test_what_is_logged(caplog, tmp_path, train_op):
    caplog.set_level(logging.INFO, "tensorflow")
    loss = tf.cast(tf.train.get_global_step(), tf.float32) / 3.0
    hooks = [
        tf.train.StopAtStepHook(4),
        tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=3, at_end=True),
        tf.train.LoggingTensorHook(
            [loss], at_end=True, formatter=lambda v: f"{len(v)} at the end"
        ),
    ]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=hooks, log_step_count_steps=2
    ) as session:
        run_to_the_end(session, [train_op])
    said = [record.getMessage() for record in caplog.records]
    path = tmp_path / "model.ckpt"
    assert said[:5] == [
        "Create CheckpointSaverHook.",
        "Graph was finalized.",
        "Running local_init_op.",
        "Done running local_init_op.",
        f"Saving checkpoints for 0 into {path}.",
    ]
    assert said[5].startswith("loss = 0.") and said[5].count("(") == 0
    assert said[6].startswith("global_step/sec: ")
    assert said[7].startswith("loss = ") and said[7].endswith(" sec)")
    assert said[8] == f"Saving checkpoints for 4 into {path}."
    assert said[9].startswith("loss = 1.3333334 (")
    assert said[10:] == ["1 at the end"]


def test_a_step_that_stands_still(caplog):
    tf.train.create_global_step()
    hook = tf.train.StepCounterHook(every_n_steps=1)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(9):
            session.run(tf.train.get_global_step())
    assert len([r for r in caplog.records if "not been increased" in r.message]) == 5


def test_checkpoints_and_events(tmp_path, train_op):
    told = []

    class Listener(tf.train.CheckpointSaverListener):
        def begin(self):
            told.append("begin")

        def before_save(self, session, global_step_value):
            told.append(("before", global_step_value))

        def after_save(self, session, global_step_value):
            told.append(("after", global_step_value))
            return global_step_value == 4

        def end(self, session, global_step_value):
            told.append(("end", global_step_value))

    tf.summary.scalar("loss", tf.constant(0.5))
    scaffold = tf.train.Scaffold()
    saves = tf.train.CheckpointSaverHook(
        tmp_path / "c", save_steps=2, scaffold=scaffold, listeners=[Listener()]
    )
    with tf.train.MonitoredTrainingSession(
        scaffold=scaffold,
        hooks=[saves],
        save_summaries_steps=3,
        log_step_count_steps=2,
        summary_dir=str(tmp_path / "s"),
    ) as session:
        session.run(train_op)
        assert len(run_to_the_end(session, train_op)) == 3  # a listener stops it
    expected = [(what, step) for step in (0, 2, 4) for what in ("before", "after")]
    assert told == ["begin", *expected, ("end", 4)]
    state = tf.train.get_checkpoint_state(str(tmp_path / "c"))
    names = [Path(path).name for path in state.all_model_checkpoint_paths]
    assert names == [f"model.ckpt-{step}" for step in (0, 2, 4)]
    saved = events_of(tmp_path / "c")
    kinds = [event.WhichOneof("what") for event in saved[:3]]
    assert kinds == ["file_version", "graph_def", "session_log"]
    logs = [(event.step, event.session_log.status) for event in saved[2:]]
    assert logs == [(step, 3) for step in (0, 2, 4)]
    values = [
        (event.step, value.tag)
        for event in events_of(tmp_path / "s")
        for value in event.summary.value
    ]
    assert [step for step, tag in values if tag == "loss"] == [1, 4]
    assert [step for step, tag in values if tag == "global_step/sec"] == [3]


class SlowSaver(tf.train.Saver):
    """A saver whose files take time."""

    def begin_save(self, *args, **kwargs):
        write = super().begin_save(*args, **kwargs)

        def slowly():
            time.sleep(0.2)
            return write()

        return slowly


def saving_beside(folder, saver, steps):
    """Return a session that writes checkpoints beside training, and its hook."""
    scaffold = tf.train.Scaffold(saver=saver)
    hook = tf.contrib.tpu.AsyncCheckpointSaverHook(
        str(folder), save_steps=steps, scaffold=scaffold
    )
    creator = tf.train.ChiefSessionCreator(scaffold)
    return tf.train.MonitoredSession(creator, [hook]), hook


def test_checkpoints_written_beside_training(tmp_path, caplog, train_op):
    caplog.set_level(logging.INFO, "tensorflow")
    step = tf.train.get_global_step()
    saving, hook = saving_beside(tmp_path, SlowSaver(max_to_keep=9), 2)
    with saving as session:
        for _ in range(4):  # the checkpoint of step 4 is left out
            session.run(train_op)
        assert threading.active_count() > 1
        hook._thread.join(timeout=30)
        for _ in range(3):  # step 6 is written meanwhile, step 7 at the end
            session.run(train_op)
    assert "Saver thread still in progress, skipping checkpoint." in caplog.messages
    for path in tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths:
        reader = tf.train.load_checkpoint(path)
        assert path.endswith(f"-{reader.get_tensor(step.op.name)}")
    names = sorted(path.name for path in tmp_path.glob("*.index"))
    assert names == [f"model.ckpt-{step}.index" for step in (0, 2, 6, 7)]


def test_an_error_while_writing_beside_training(tmp_path, train_op):
    class Failing(tf.train.Saver):
        def begin_save(self, *args, **kwargs):
            write = super().begin_save(*args, **kwargs)
            step = args[2] if len(args) > 2 else kwargs.get("global_step")

            def fail():
                if step:
                    raise OSError("disk full")
                return write()

            return fail

    saving, _ = saving_beside(tmp_path, Failing(), 1)
    with pytest.raises(OSError, match="disk full"), saving as session:
        session.run(train_op)


def test_profiles(tmp_path, train_op):
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(6):
            session.run(train_op)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["timeline-3.json", "timeline-5.json"]
    assert json.loads((tmp_path / names[0]).read_text())["traceEvents"]


def test_an_error_of_a_thread(train_op):
    recorder = Recorder([], "a")
    session = tf.train.MonitoredSession(hooks=[recorder])
    recorder.coord.request_stop(KeyError("lost"))
    assert session.should_stop() and session.run(train_op) == 7
    with pytest.raises(KeyError, match="lost"):
        session.close()
    told = []
    recorder = Recorder(told, "a")
    with tf.train.MonitoredSession(hooks=[recorder]) as session:
        recorder.coord.request_stop(tf.errors.AbortedError("lost"))
        assert not session.should_stop()
        session.run(train_op)
    assert told.count("a created 0") == 2


def test_a_coordinator():
    coord = tf.train.Coordinator()
    release = threading.Event()
    threads = [threading.Thread(target=release.wait, args=(60,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    coord.register_thread(threads[0])
    coord.request_stop(tf.errors.OutOfRangeError("over"))  # a clean stop
    with pytest.raises(RuntimeError, match="still run"):
        coord.join(threads, stop_grace_period_secs=0.1)
    release.set()
    coord.join(threads)
    assert coord.joined and coord.should_stop()
    with pytest.raises(KeyError):
        coord.request_stop(KeyError("late"))
    coord.clear_stop()
    assert not coord.wait_for_stop(timeout=0.01)


def test_a_warm_start(tmp_path, evaluate):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("bias", initializer=[8.0])
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    bias = tf.get_variable("renamed", [1])
    same = tf.get_variable("same", initializer=[1.0])
    tf.train.warm_start(path, ["renamed"], None, {"renamed": "bias"})
    assert evaluate([bias, same]) == [[8.0], [1.0]]


def test_a_training_that_goes_on_writes_its_graph_once(tmp_path):
    """TensorBoard warns of a second graph; a graph that differs is written."""

    def train(last, name):
        with tf.Graph().as_default():
            tf.constant(1.0, name=name)
            step = tf.train.create_global_step().assign_add(1)
            hooks = [tf.train.StopAtStepHook(last_step=last)]
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path), hooks=hooks
            ) as session:
                run_to_the_end(session, step)

    for last, name, graphs in ((2, "a", 1), (4, "a", 1), (6, "b", 2)):
        tf.summary.FileWriterCache.clear()  # a new process
        train(last, name)
        files = tmp_path.glob("events*")
        events = [e for f in files for e in tf.train.summary_iterator(str(f))]
        assert sum(bool(event.graph_def) for event in events) == graphs
