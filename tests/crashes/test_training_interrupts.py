"""Interrupts by signals in training: the next run is right, and nothing is left.

Both models have weights that follow from the number of steps alone, so a step that
counts twice, in part or not at all shows.
"""

import json
import os
import random
import re
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.files import filesystem

from .processes import FULL, cores_of

pytestmark = pytest.mark.filterwarnings(  # a finalizer only reports its interrupt
    "ignore::pytest.PytestUnraisableExceptionWarning"
)
INTERRUPTS = 75 if FULL else 4
LEAST = INTERRUPTS - max(1, INTERRUPTS // 10)
"""The interrupts that come at least; a finalizer may take one."""
CORES = 3
LONGEST = 20.0
"""Seconds that a loop goes on if its interrupt is lost in a finalizer."""

UNFINISHED = re.compile(r".+(\.partial|\.tpuref-[0-9a-f]{8}\..+)")


@pytest.fixture
def moments():
    """Moments of a seed that is printed, and KeyboardInterrupt for SIGALRM."""
    seed = random.SystemRandom().randrange(1 << 32) if FULL else 28
    print("seed", seed)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield random.Random(seed)
    signal.signal(signal.SIGALRM, before)


def interrupted(delay, action):
    """Interrupt an action by a signal; return whether it came."""
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            action()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    except KeyboardInterrupt:
        return True
    return False


def in_thread(action):
    """Call an action in another thread; an error in it fails the test."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(action).result()


def is_at(step, weights, velocity=None):
    """Whether variables have the values after so many steps.

    The gradient is 1, the learning rate 1 and the momentum 1/2, or 0 without velocity.
    """
    last = 2.0 - 2.0 ** (1 - step)
    right = -step if velocity is None else last - 2.0 * step
    return np.allclose(weights, right, rtol=1e-6, atol=0.1) and (
        velocity is None or np.allclose(velocity, last, atol=1e-6)
    )


def latest(folder):
    """Check the latest checkpoint, and return its step, -1 where there is none."""
    path = tf.train.latest_checkpoint(str(folder))
    if path is None:
        return -1
    reader = tf.train.load_checkpoint(path)
    values = {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()}
    step = int(values["global_step"])
    assert is_at(step, values["weights"], values.get("weights/Momentum")), path
    return step


def leftovers(folder):
    """Return the files of saves that did not end."""
    named = {json.loads(path.read_text())["file"] for path in folder.glob("*.index")}
    names = {path.name for path in folder.iterdir()} - named
    return {n for n in names if UNFINISHED.fullmatch(n) or n.endswith(".safetensors")}


def test_a_loop_that_saves(make_pool, tmp_path, moments):
    folder = tmp_path / "model"
    folder.mkdir()
    pool, ones = make_pool(CORES, 2), np.ones(3000, np.float32)
    session, found = pool.session, Counter[str]()
    fed = tf.placeholder(tf.float32, ones.shape)
    weights = tf.get_variable("weights", initializer=tf.zeros(ones.shape))
    step = tf.train.get_or_create_global_step()
    inner = tf.train.MomentumOptimizer(1.0, 0.5)
    optimizer = tf.tpu.CrossShardOptimizer(inner)

    def train_step(x):
        return optimizer.minimize(tf.reduce_sum(weights * x), step)

    train = tf.tpu.replicate(train_step, [[fed]] * CORES)
    state = [step, weights, inner.get_slot(weights, "momentum")]
    saver = tf.train.Saver(max_to_keep=3)
    session.run(tf.global_variables_initializer())

    def loop():
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            for _ in range(3):
                session.run(train, {fed: ones})
            saver.save(session, str(folder / "model"), step)
            found["saves"] += 1

    def one_more():
        before = int(session.run(step))
        session.run(train, {fed: ones})
        values = session.run(state)
        assert values[0] == before + 1 and is_at(*values), values

    for number in range(INTERRUPTS):
        found["came"] += interrupted(0.001 + 0.3 * moments.random(), loop)
        values = session.run(state)
        assert is_at(*values), values
        one_more()
        saved = latest(folder)
        assert saved <= values[0]
        if number % 4 == 1:
            in_thread(one_more)
        if number % 4 == 2:
            pool.initialize()
            one_more()
        if number % 4 == 3 and saved >= 0:
            saver.restore(session, tf.train.latest_checkpoint(str(folder)))
            assert int(session.run(step)) == saved
            one_more()
        assert len(cores_of(os.getpid())) == 2
    print(found, "last step", session.run(step))
    assert found["came"] >= LEAST and found["saves"]
    saver.save(session, str(folder / "model"), step)
    assert latest(folder) == session.run(step) and not leftovers(folder)


def model_fn(features, labels, mode, params):
    weights = tf.get_variable("weights", [300], initializer=tf.zeros_initializer())
    optimizer = tf.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(1.0))
    loss = tf.reduce_mean(tf.matmul(features, weights[:, None]))
    train = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train)


def input_fn(params):
    data = tf.data.Dataset.from_generator(lambda: ones(), tf.float32, [300]).repeat()
    return data.batch(params["batch_size"], drop_remainder=True)


def ones():
    for _ in range(10):
        yield np.ones(300, np.float32)


def test_opening_files(tmp_path, moments):
    files, path = filesystem.LocalFiles(), tmp_path / "file"
    path.touch()

    def loop():
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            with files.locked(str(path)) as locked:
                assert locked
            files.open_regular(str(path)).close()

    assert sum(interrupted(0.002 * moments.random(), loop) for _ in range(200)) >= 190


def test_an_estimator_trains(tmp_path, moments):
    folder, found = tmp_path / "model", Counter[str]()

    def train(steps):
        config = tf.estimator.tpu.RunConfig(
            model_dir=str(folder),
            save_checkpoints_steps=20,
            keep_checkpoint_max=3,
            tpu_config=tf.estimator.tpu.TPUConfig(iterations_per_loop=5, num_shards=2),
        )
        return tf.estimator.tpu.TPUEstimator(
            model_fn, config=config, train_batch_size=4
        ).train(input_fn, steps=steps)

    with tf.config.override(executor="pool", cores=2, processes=2):
        train(1)
        for number in range(INTERRUPTS):
            delay = 0.001 + 2.0 * moments.random()
            found["came"] += interrupted(delay, lambda: train(8000))
            before = latest(folder)
            if number % 4 == 1:
                in_thread(lambda: train(3))
            else:
                train(3)
            assert latest(folder) == before + 3
            found["processes", len(cores_of(os.getpid()))] += 1
    tf.summary.FileWriterCache.clear()  # it keeps one file open
    print(found, "last step", latest(folder))
    assert found["came"] >= LEAST and not leftovers(folder)
