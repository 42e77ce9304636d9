"""Programs that are killed, and cores that die: training goes on from the last step."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import tpuref as tf

from ..crashes.processes import cores_of

PROGRAM = Path(__file__).with_name("counting_steps.py")


def started(folder, last):
    command = [sys.executable, str(PROGRAM), str(folder), str(last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_program_continues(tmp_path):
    moments = random.Random(3)
    saved = 0
    for _ in range(3):
        with started(tmp_path, 10**9) as process:
            first = int(process.stdout.readline())
            time.sleep(0.2 * moments.random())
            process.kill()
            last = [first, *map(int, process.stdout.read().split())][-1]
        assert first == saved + 1
        path = tf.train.latest_checkpoint(str(tmp_path))
        saved = int(tf.train.load_variable(path, "global_step"))
        # It says a step after it was saved.
        assert saved in (last, last + 1)
    with started(tmp_path, saved + 2) as process:
        output, _ = process.communicate(timeout=60)
    assert output.split() == [str(saved + 1), str(saved + 2)]


class StartsCores(tf.train.SessionRunHook):
    """Starts the TPU system for each session, as TPUEstimator does."""

    def begin(self):
        self.start = tf.tpu.initialize_system()

    def after_create_session(self, session, coord):
        session.run(self.start)


def test_cores_that_die(tmp_path):
    step = tf.train.create_global_step()
    (sums,) = tf.tpu.shard(
        tf.tpu.cross_replica_sum, [tf.constant([1, 2])], num_shards=2
    )
    with tf.control_dependencies([sums]):
        train_op = step.assign_add(1)
    results = []
    with (
        tf.config.override(executor="pool", cores=2),
        tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path),
            hooks=[StartsCores(), tf.train.StopAtStepHook(last_step=6)],
            save_checkpoint_steps=1,
        ) as session,
    ):
        while not session.should_stop():
            results.append([v.tolist() for v in session.run([train_op, sums])])
            if len(results) == 3:
                os.kill(cores_of(os.getpid())[0], signal.SIGKILL)
    assert results == [[step, [3, 3]] for step in range(1, 7)]
