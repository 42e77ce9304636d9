"""The host ends, one way or another: its cores end with it, and nothing is left."""

import os
import random
import signal
import time

import pytest

from .hosts import Host
from .processes import FULL, PROMPTLY, eventually

START = """
import os, signal, sys, threading, time
import tpuref as tf
tf.config.cores = 2
session = tf.Session()
session.run(tf.tpu.initialize_system())
FOREVER = 10**9
def replicated(computation):
    return tf.tpu.replicate(computation, [[0], [1]])
def turning(replica):
    return tf.while_loop(lambda i: i < FOREVER, lambda i: i + 1, [replica])
def summing(size):
    add = lambda i, y: (i + 1, tf.tpu.cross_replica_sum(y))
    return lambda replica: tf.while_loop(
        lambda i, y: i < FOREVER, add, [0, tf.zeros([size])])
def calling(replica):
    host = lambda value: time.sleep(100) or value
    return tf.tpu.outside_compilation(
        lambda r: tf.py_func(host, [r], tf.int32), replica)
def fed(value):
    return value + 1.0
queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
print("running", flush=True)
"""

FAILED = "FailedPreconditionError"
IDLE = "time.sleep(100)"
DOING = {
    "idle": IDLE,
    "computing": "session.run(replicated(turning))",
    "in a small sum": "session.run(replicated(summing(1)))",
    "in a large sum": "session.run(replicated(summing(1 << 16)))",
    "in a host call": "session.run(replicated(calling))",
    "waiting for the infeed": "session.run(tf.tpu.replicate(fed, [[]] * 2, queue))",
}


@pytest.mark.parametrize("what", DOING)
def test_the_host_is_killed(tmp_path, what):
    with Host(tmp_path, START + DOING[what]) as host:
        host.await_line("running")
        assert len(host.family()) == 3
        time.sleep(0.2)
        host.process.kill()
        host.process.wait()
        assert host.leaves_nothing(PROMPTLY)
        assert host.errors == ""


def test_the_host_is_killed_while_cores_are_stopped(tmp_path):
    with Host(tmp_path, START + IDLE) as host:
        host.await_line("running")
        for pid in host.family():
            os.kill(pid, signal.SIGSTOP)
        host.process.kill()
        host.process.wait()
        assert host.leaves_nothing(PROMPTLY)


def test_the_host_is_killed_while_it_starts(tmp_path):
    """At random moments from its first core on, or already before."""
    seed = 20 if not FULL else random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    moments, longest = random.Random(seed), 0.0
    for number in range(100 if FULL else 4):
        with Host(tmp_path / str(number), START + IDLE) as host:
            wanted = 1 if moments.random() < 0.2 else 2
            assert eventually(lambda h=host, w=wanted: len(h.family()) >= w, 60.0)
            time.sleep(moments.random() * 0.4)
            host.process.kill()
            start = time.monotonic()
            assert host.leaves_nothing(PROMPTLY)
            longest = max(longest, time.monotonic() - start)
            assert host.errors == ""
    print("all processes were gone after at most", longest, "s")


SOON = "threading.Timer(0.2, os.kill, (os.getpid(), signal.{})).start()\n"
TERM, INT = SOON.format("SIGTERM"), SOON.format("SIGINT")
TURN = "session.run(replicated(turning))"
LEAVE = """
def leave(value): sys.exit(3)
part = lambda r: tf.py_func(leave, [r], tf.int32)
session.run(replicated(lambda replica: tf.tpu.outside_compilation(part, replica)))
"""
OWN_HANDLER = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n"
HANG_UP = """
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored
os.kill(os.getpid(), signal.SIGHUP)
"""
BY_A_THREAD = """
threading.excepthook = lambda *_: None
run = lambda: session.run(replicated(turning))
threading.Thread(target=run, daemon=True).start()
time.sleep(0.2)
"""
OUT_OF_RANGE = "session.run(replicated(lambda r: tf.gather([1, 2], r + 5)))"
ENDS = {
    "it comes to its end": ("", 0, ""),
    "it shuts the system down": ("session.run(tf.tpu.shutdown_system())", 0, ""),
    "sys.exit": ("sys.exit(3)", 3, ""),
    "sys.exit in the midst of a run": (LEAVE, 3, ""),
    "os._exit": ("os._exit(4)", 4, ""),
    "an exception": ("raise ValueError('not this')", 1, "ValueError: not this"),
    "an error of a core": (OUT_OF_RANGE, 1, "InvalidArgumentError: "),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
    "SIGTERM in the midst of a run": (TERM + TURN, -signal.SIGTERM, ""),
    "SIGTERM with a handler": (OWN_HANDLER + TERM + TURN, 5, ""),
    "SIGHUP": (HANG_UP, -signal.SIGHUP, ""),
    "SIGINT": (
        INT + "session.run(replicated(summing(1)))",
        -signal.SIGINT,
        "KeyboardInterrupt",
    ),
    "a thread is in the midst of a run": (BY_A_THREAD, 0, ""),
}


@pytest.mark.parametrize("how", ENDS)
def test_the_host_ends(tmp_path, how):
    program, status, error = ENDS[how]
    with Host(tmp_path, START + program) as host:
        host.await_line("running")
        assert host.end()[0] == status, host.errors
        assert host.leaves_nothing(PROMPTLY)
        if error:
            own = host.errors.rpartition("Traceback (most recent call last):\n")
            assert own[0] == "" or "RemoteTraceback" in own[0]
            assert error in own[2]
            assert "Exception ignored" not in own[2]
        else:
            assert host.errors == ""


WAITING = """
from tpuref.engine.runtime.system import LOCAL
def told(name, fetches):
    for _ in range(3):
        try:
            session.run(fetches)
        except BaseException as error:
            kind, message = type(error).__name__, str(error).splitlines()[0]
            os.write(1, f"{name} {kind} {message}\\n".encode())
            if name == "turning":
                break
for name, what in (("turning", turning), ("waiting", lambda r: r + 1)):
    fetches = replicated(what)
    threading.Thread(target=told, args=(name, fetches), daemon=True).start()
    while not LOCAL._systems["localhost"]._executor._occupation.locked():
        time.sleep(0.01)
"""
# What was registered first is called last: the threads then have time to speak.
LATER = "import atexit, time\natexit.register(time.sleep, 2.0)\n"


def test_the_host_ends_while_a_thread_waits_for_the_cores(tmp_path):
    with Host(tmp_path, LATER + START + WAITING) as host:
        host.await_line("running")
        status, printed = host.end()
        assert status == 0 and host.errors == ""
        assert host.leaves_nothing(PROMPTLY)
    lines = printed.splitlines()
    assert {line.split()[0] for line in lines} == {"turning", "waiting"}
    for line in lines:
        name, kind, message = line.split(maxsplit=2)
        assert kind == {"turning": "AbortedError", "waiting": FAILED}[name]
        assert "shut down" in message or "this program ends" in message
