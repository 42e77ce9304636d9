"""Code of the user that hangs in a dataset: warned of, then an error, in time."""

import logging
import threading
import time

import pytest

import tpuref as tf
from tpuref.interface.data import ahead

STOP = threading.Event()


@pytest.fixture(autouse=True)
def ended_threads():
    STOP.clear()
    yield
    STOP.set()
    for thread in threading.enumerate():
        if thread.name.startswith(("tpuref input", "tpuref abandoned")):
            thread.join(10.0)


def hang(value):
    STOP.wait(60.0)
    return value


def generated():
    yield 1.0
    yield hang(2.0)


def hanging_call(x):
    return tf.py_func(hang, [x], tf.int64)


def endless(x):
    going = lambda k: tf.py_func(lambda k: not STOP.is_set(), [k], tf.bool)  # noqa: E731
    return tf.while_loop(going, lambda k: k + 0, [tf.constant(0)])


PIPELINES = {
    "generator": ("GeneratorDataset",
        lambda: tf.data.Dataset.from_generator(generated, tf.float32, [])),
    "map": ("MapDataset", lambda: tf.data.Dataset.range(5).map(hanging_call)),
    "loop": ("MapDataset", lambda: tf.data.Dataset.range(5).map(endless)),
    "inner": ("MapDataset", lambda:
        tf.data.Dataset.range(5).flat_map(lambda k:
        tf.data.Dataset.range(2).map(hanging_call))),
}  # fmt: skip


@pytest.mark.parametrize("after", ["", "batch", "prefetch"])
@pytest.mark.parametrize("kind", PIPELINES)
def test_what_hangs_is_named(kind, after, caplog):
    name, build = PIPELINES[kind]
    dataset = build()
    if after == "batch":
        dataset = dataset.batch(3).map(lambda x: x + 1)
    elif after == "prefetch":
        dataset = dataset.prefetch(2).map(lambda x: x + 1)
    with tf.config.override(timeout=1.0), tf.Session() as session:
        element = dataset.make_one_shot_iterator().get_next()
        start = time.monotonic()
        with (
            caplog.at_level(logging.WARNING, "tpuref.stall"),
            pytest.raises(tf.errors.DeadlineExceededError, match="E042") as caught,
        ):
            [session.run(element) for _ in range(2)]
        assert time.monotonic() - start < 10.0
        assert caught.value.op == name and __file__ in str(caught.value)
        assert [name in record.getMessage() for record in caplog.records] == [True]
        assert any(name in thread.name for thread in threading.enumerate())
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element)  # at once, as the pass has ended


def test_the_thread_left_behind_keeps_its_default_graph():
    def building():
        with tf.Graph().as_default():
            yield hang(1.0)

    dataset = tf.data.Dataset.from_generator(building, tf.float32, [])
    for stage in (dataset, dataset.prefetch(1)):
        graph = tf.get_default_graph()
        with (
            tf.config.override(timeout=0.2),
            pytest.raises(tf.errors.DeadlineExceededError),
        ):
            next(stage.as_numpy_iterator())
        assert tf.get_default_graph() is graph


def test_an_input_function_that_hangs_ends_training(tmp_path):
    def input_fn(params):
        data = tf.data.Dataset.range(5).map(hanging_call).repeat()
        data = data.map(lambda x: tf.reshape(tf.to_float(x), [1]))
        return data.batch(params["batch_size"], drop_remainder=True)

    def model_fn(features, labels, mode, params):
        loss = tf.reduce_mean(tf.matmul(features, tf.get_variable("w", [1, 1])))
        optimizer = tf.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.1))
        step = tf.train.get_or_create_global_step()
        train = optimizer.minimize(loss, global_step=step)
        return tf.estimator.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train)

    tpu = tf.estimator.tpu
    tpu_config = tpu.TPUConfig(iterations_per_loop=2, num_shards=2)
    run_config = tpu.RunConfig(model_dir=str(tmp_path), tpu_config=tpu_config)
    estimator = tpu.TPUEstimator(model_fn, config=run_config, train_batch_size=4)
    with (
        tf.config.override(timeout=2.0, executor="pool", cores=2),
        pytest.raises(tf.errors.DeadlineExceededError, match="MapDataset.*E042"),
    ):
        estimator.train(input_fn, steps=4)


def test_slow_progress_is_no_hang():
    def slow(value):
        time.sleep(0.15)
        return value

    dataset = tf.data.Dataset.range(6)
    dataset = dataset.map(lambda x: tf.py_func(slow, [x], tf.int64)).batch(6)
    with tf.config.override(timeout=0.5), tf.Session() as session:
        element = dataset.make_one_shot_iterator().get_next()
        assert session.run(element).tolist() == list(range(6))


def test_an_infinite_generator_gives_what_is_taken():
    made = []

    def counting():
        while True:
            made.append(len(made))
            yield made[-1]

    dataset = tf.data.Dataset.from_generator(counting, tf.int64, []).take(3)
    before = threading.active_count()
    assert [int(x) for x in dataset.as_numpy_iterator()] == [0, 1, 2]
    assert made == [0, 1, 2] and threading.active_count() == before


def test_an_error_that_is_on_its_way_at_the_deadline_is_raised(monkeypatch):
    """As that of a thread that the thread waited for, with the same deadline."""
    looks, looked = [], threading.Event()

    def location(thread):
        looks.append(thread)  # for the warning, and at the deadline
        if len(looks) == 2:
            looked.set()
        return "the input", None

    def items():
        looked.wait(30)
        raise tf.errors.DeadlineExceededError(None, None, "the inner one")
        yield

    monkeypatch.setattr(ahead, "_location", location)
    monkeypatch.setattr(ahead, "_LOOK_SECONDS", 20.0)
    with (
        tf.config.override(timeout=1.0),
        pytest.raises(tf.errors.DeadlineExceededError, match="the inner one"),
    ):
        next(iter(ahead.Ahead(items(), 1)))
