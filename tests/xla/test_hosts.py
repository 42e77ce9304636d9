"""Several hosts: processes of this machine that run one program together."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tpuref as tf
from tpuref.base.errors import UnavailableError
from tpuref.engine.runtime.hosts.job import Job, wanted_job
from tpuref.engine.runtime.hosts.member import Member
from tpuref.tools.cli.launch import _free_port

from ..crashes.processes import eventually, state_of
from .conftest import ONE_DEVICE

pytest.importorskip("jax", reason="JAX is not installed")
pytestmark = ONE_DEVICE


@pytest.fixture
def start(tmp_path):
    """Start a program on several hosts."""

    def started(text, *arguments, hosts=3):
        path = tmp_path / "program.py"
        path.write_text(text)
        command = [sys.executable, "-m", "tpuref", "launch", "--hosts", str(hosts)]
        return subprocess.Popen(
            [*command, "--cores-per-host", "2", str(path), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=os.environ | {"TPUREF_HOST_TIMEOUT": "4"},
            text=True,
        )

    return started


def said(output, host):
    """Return the lines of a host, without those of JAX."""
    lines = [line.partition("] ") for line in output.splitlines()]
    return [
        text for name, _, text in lines if name == f"[{host}" and "[Gloo]" not in text
    ]


ALL = """
import sys
import tpuref as tf

cluster = tf.distribute.cluster_resolver.TPUClusterResolver("local")
strategy = tf.contrib.distribute.TPUStrategy(
    tf.contrib.cluster_resolver.TPUClusterResolver("local"), 1
)
with tf.Session() as sess:
    topology = tf.contrib.tpu.Topology(sess.run(tf.tpu.initialize_system()))
    print(sys.argv[1:], cluster.num_accelerators(), topology.num_tasks)
    print([device.name[-5:] for device in sess.list_devices()].count("TPU:1"))
    print(sess.run(tf.random_normal([])))
config = tf.estimator.RunConfig()
print(strategy.should_checkpoint, strategy.should_save_summary, strategy.should_init)
print(config.is_chief, config.task_id, config.num_worker_replicas)
"""


def test_the_system_spans_all_hosts_and_the_first_is_the_chief(start):
    process = start(ALL, "--steps", "3")
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    spoken = [said(output, host) for host in range(3)]
    for host, lines in enumerate(spoken):
        chief = host == 0
        assert lines == [
            "['--steps', '3'] 2 3",
            "3",
            spoken[0][2],  # what has no seed is the same everywhere
            f"{chief} {chief} True",
            f"{chief} {host} 3",
        ]


def test_the_status_is_that_of_the_host_that_failed(start):
    process = start("""
import sys, time
import tpuref as tf
with tf.Session() as sess:
    sess.run(tf.tpu.initialize_system())
if tf.config.host == 1:
    sys.exit(7)
time.sleep(100)
""")
    begin = time.monotonic()
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 7
    assert said(errors, 1) == []
    for host in (0, 2):
        (line,) = said(errors, host)
        assert "host 1 (" in line and "exit status 7" in line and "E266" in line
    assert time.monotonic() - begin < 100


WAITING = """
import os, time
import tpuref as tf
with tf.Session() as sess:
    sess.run(tf.tpu.initialize_system())
print("pid", os.getpid(), flush=True)
time.sleep(100)
"""


def begun(process):
    """Return the processes of the hosts, once all run."""
    found = []
    while len(found) < 3:
        line = process.stdout.readline()
        assert line
        if "pid" in line:
            found.append(int(line.split()[-1]))
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_launcher(start, number):
    process = start(WAITING)
    pids = begun(process)
    pids += [child for pid in pids for child in children_of(pid)]
    assert len(pids) == 4  # the rendezvous is a child of host 0
    process.send_signal(number)
    process.communicate(timeout=60)
    if number == signal.SIGTERM:
        assert process.returncode == 128 + signal.SIGTERM
    assert eventually(lambda: {*map(state_of, pids)} <= {"", "Z"}, 20)


def children_of(pid):
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


TRAINING = """
import os, signal, sys, time
import numpy as np
import tpuref as tf
from tpuref.interface.checkpoints import tensor_file

def late(*arguments, opened=tensor_file.TensorFile):
    time.sleep(1)
    return opened(*arguments)

victim, folder = int(sys.argv[1]), sys.argv[2]
if tf.config.host == 2:  # the others wait for it before one writes a checkpoint
    tensor_file.TensorFile = late
w = tf.get_variable("w", initializer=np.zeros(2, np.float32))
step = tf.train.create_global_step()

def computation(x):
    return tf.assign_add(w, tf.tpu.cross_replica_sum(x))

inputs = [[np.float32([k, 1])] for k in range(8)]
outputs = tf.tpu.replicate(computation, inputs)
with tf.control_dependencies(outputs[0]):
    train = step.assign_add(1)
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=folder, save_checkpoint_steps=2,
    hooks=[tf.train.StopAtStepHook(last_step=9)],
) as sess:
    print("begins at", sess.run(step), flush=True)
    while not sess.should_stop():
        if sess.run(train) == 5 and tf.config.host == victim:
            os.kill(os.getpid(), signal.SIGKILL)
    print("reached", flush=True)
"""


@pytest.mark.parametrize("victim", range(4))
def test_the_others_name_a_host_that_dies_and_the_next_run_continues(
    start, tmp_path, victim
):
    folder = str(tmp_path / "model")
    process = start(TRAINING, str(victim), folder, hosts=4)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGKILL, errors
    for host in range(4):
        if host != victim:
            (line,) = [line for line in said(errors, host) if "is lost" in line]
            assert f"host {victim} (" in line and "is lost: it died" in line
            assert line.endswith("[TPUREF-E266]")
    assert "reached" not in output
    assert len([name for name in os.listdir(folder) if "tfevents" in name]) == 1
    if victim != 2:  # one run again is enough
        return
    process = start(TRAINING, "-1", folder, hosts=4)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    for host in range(4):
        assert said(output, host) == ["begins at 4", "reached"]
    assert tf.train.load_variable(folder, "w").tolist() == [9 * 28, 9 * 8]


def joined(jobs):
    """Let hosts meet in threads, and return members or errors."""
    found = [None] * len(jobs)

    def join(k):
        try:
            found[k] = Member(jobs[k])
        except UnavailableError as error:
            found[k] = str(error)

    threads = [threading.Thread(target=join, args=[k]) for k in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def test_hosts_that_do_not_arrive_are_named():
    at = f"127.0.0.1:{_free_port()}"
    with tf.config.override(timeout=1.5):
        errors = joined([Job(at, 5, 0), Job(at, 5, 3)])
    for error in errors:
        assert "only 2 of 5 hosts arrived within 1.5 s; missing: 1, 2, 4" in error
        assert "[TPUREF-E265]" in error
    at = f"127.0.0.1:{_free_port()}"
    with tf.config.override(timeout=0.5):
        (error,) = joined([Job(at, 2, 1)])
    assert f"host 1 of 2 cannot join at the coordinator {at}: nobody" in error
    with socket.create_server(("127.0.0.1", 0)) as other:
        at = f"127.0.0.1:{other.getsockname()[1]}"
        (error,) = joined([Job(at, 2, 0)])
    assert "cannot listen there" in error


def test_hosts_that_do_not_belong_together():
    at = f"127.0.0.1:{_free_port()}"
    with tf.config.override(timeout=4.0):
        errors = joined([Job(at, 2, 0), Job(at, 3, 1)])
    assert "only 1 of 2 hosts arrived" in errors[0]
    assert "host 0 has hosts 2, host 1 has 3" in errors[1]


def test_members_share_a_number():
    at = f"localhost:{_free_port()}"
    members = joined([Job(at, 3, k) for k in (2, 0, 1)])
    assert len({member.entropy for member in members}) == 1
    for member in members:
        member._connection.close()
        member._lines.close()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"coordinator": "a:1"}, "TPUREF_NUM_HOSTS .* TPUREF_HOST "),
        ({"num_hosts": 3, "host": 1}, "TPUREF_COORDINATOR"),
        ({"coordinator": "a:1", "num_hosts": 2, "host": 2}, "host 2 of 2"),
        ({"executor": "pool", "coordinator": "a:1"}, "the executor is 'pool'"),
    ],
)
def test_settings_that_contradict_each_other(settings, message):
    given = {"executor": "xla", **settings}
    with tf.config.override(**given), pytest.raises(ValueError, match=message):
        wanted_job()


def test_one_host_needs_no_coordinator_and_what_slurm_says(monkeypatch):
    with tf.config.override(executor="xla"):
        assert wanted_job() is None
    with tf.config.override(executor="xla", num_hosts=1, coordinator="a:1"):
        assert wanted_job() is None
    said = "JOB_ID=4242 STEP_NODELIST=node[3-5] NTASKS=3 PROCID=2 LOCALID=0"
    for pair in said.split():
        name, _, value = pair.partition("=")
        monkeypatch.setenv(f"SLURM_{name}", value)
    with tf.config.override(executor="xla"):
        job = wanted_job()
    assert job.coordinator.startswith("node3:")
    assert (job.hosts, job.host, job.devices) == (3, 2, [0])
    with tf.config.override(executor="xla", num_hosts=1):
        assert wanted_job() is None
