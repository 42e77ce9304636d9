"""Ctrl-C at a prompt: one KeyboardInterrupt, the prompt is back, and the pool works."""

import os
import random
import time
from pathlib import Path

import pytest

from .processes import FULL, PROMPTLY, RESTART, cores_of, eventually
from .terminals import CONTROL_C, CONTROL_D, Terminal

PREPARE = [
    "import tpuref as tf, time",
    "tf.config.cores = 3",
    "session = tf.Session()",
    "topology = session.run(tf.tpu.initialize_system())",
    "below = lambda i, *_: i < 10**9",
    "turning = lambda r: tf.while_loop(below, lambda i: i + 1, [r])",
    "add = lambda i, y: (i + 1, tf.tpu.cross_replica_sum(y))",
    "small = lambda r: tf.while_loop(below, add, [0, tf.zeros([1])])",
    "large = lambda r: tf.while_loop(below, add, [0, tf.zeros([1 << 16])])",
    "multiply = lambda i, y: (i + 1, y @ y)",
    "long = lambda r: tf.while_loop(below, multiply, [0, tf.zeros([2500, 2500])])",
    "slow = lambda v: time.sleep(100) or v",
    "part = lambda r: tf.py_func(slow, [r], tf.int32)",
    "calling = lambda r: tf.tpu.outside_compilation(part, r)",
    "types = dict(tuple_types=[tf.float32], tuple_shapes=[[3]])",
    "queue = tf.contrib.tpu.InfeedQueue(**types)",
    "fed = tf.tpu.replicate(lambda value: value + 1.0, [[]] * 3, queue)",
    "go = lambda f: session.run(tf.tpu.replicate(f, [[0], [1], [2]]))",
    "total = lambda r: tf.tpu.cross_replica_sum(tf.to_float(r))",
]
DOING = ["turning", "small", "large", "long", "calling"]
WORKS = "print(*map(float, (value for (value,) in go(total))))"


@pytest.fixture
def terminal():
    with Terminal("-i", "-q") as started:
        started.enter(PREPARE)
        started.expect(">>> ")
        assert len(cores_of(started.process.pid)) == 3
        yield started
        cores = cores_of(started.process.pid)
        started.type(CONTROL_D)
        assert started.process.wait(RESTART) == 0
        assert not any(Path(f"/proc/{core}").exists() for core in cores)


def interrupted(terminal, line, after=0.5):
    """Interrupt what a line does, and return the time until the prompt is back."""
    terminal.type(f"{line}\n")
    time.sleep(after)
    terminal.type(CONTROL_C)
    start = time.monotonic()
    shown = terminal.expect("\n>>> ")
    elapsed = time.monotonic() - start
    assert shown.count("KeyboardInterrupt") == 1
    assert shown.endswith("KeyboardInterrupt")
    assert shown.count("Traceback (most recent call last)") == 1
    assert "Exception ignored" not in shown and "process/worker" not in shown
    return elapsed


def works(terminal, late=0):
    """Whether the cores answer, and so many late interrupts at most are shown."""
    terminal.type(f"{WORKS}\n")
    shown = terminal.expect("\n3.0 3.0 3.0\n>>> ", RESTART)
    quiet = "Traceback" not in shown and "Exception ignored" not in shown
    return quiet and shown.count("KeyboardInterrupt") <= late


def test_a_run_is_interrupted(terminal):
    taken = {}
    for doing in DOING:
        taken[doing] = interrupted(terminal, f"go({doing})")
        assert works(terminal)
    taken["infeed"] = interrupted(terminal, "session.run(fed)")
    assert works(terminal)
    print({doing: round(seconds, 3) for doing, seconds in taken.items()})
    assert max(taken.values()) < PROMPTLY


def test_a_second_interrupt_comes_at_once(terminal):
    """While the cores are in a long operation, and the first one waits for them."""
    for pause in (0.1, 0.01):
        terminal.type("go(long)\n")
        time.sleep(0.5)
        start = time.monotonic()
        terminal.type(CONTROL_C)
        time.sleep(pause)
        terminal.type(CONTROL_C)
        shown = terminal.expect("\n>>> ")
        assert time.monotonic() - start < PROMPTLY
        assert shown.count("KeyboardInterrupt") in (1, 2)
        assert "Exception ignored" not in shown
        assert works(terminal, late=2 - shown.count("KeyboardInterrupt"))


def test_interrupts_at_any_moment(terminal):
    seed = random.SystemRandom().randrange(1 << 32) if FULL else 7
    print("seed", seed)
    moments = random.Random(seed)
    for _ in range(100 if FULL else 5):
        line = f"go({moments.choice(DOING)})"
        elapsed = interrupted(terminal, line, after=0.02 + 0.2 * moments.random())
        assert elapsed < PROMPTLY
        assert works(terminal)


def test_a_start_is_interrupted():
    with Terminal("-i", "-q") as terminal:
        terminal.enter(PREPARE[:3])
        for pause in (0.0, 0.05, 0.1):
            terminal.enter([PREPARE[3]])
            assert eventually(lambda: cores_of(terminal.process.pid), RESTART)
            time.sleep(pause)
            terminal.type(CONTROL_C)
            assert "Exception ignored" not in terminal.expect("KeyboardInterrupt\n")
            assert cores_of(terminal.process.pid) == []
        terminal.expect(">>> ")
        terminal.type(f"{PREPARE[3]}\n")
        terminal.expect("\n>>> ")
        assert len(cores_of(terminal.process.pid)) == 3


def test_a_program_is_interrupted(tmp_path):
    """Not at a prompt: the program ends, as Ctrl-C ends programs."""
    program = tmp_path / "program.py"
    program.write_text("\n".join([*PREPARE, "print('running')", "go(small)"]))
    with Terminal(str(program)) as terminal:
        terminal.expect("running\n")
        cores = cores_of(terminal.process.pid)
        time.sleep(0.2)
        terminal.type(CONTROL_C)
        shown = terminal.expect("KeyboardInterrupt\n")
        assert shown.count("Traceback (most recent call last)") == 1
        assert terminal.process.wait(PROMPTLY) == -2
        assert not any(os.path.exists(f"/proc/{core}") for core in cores)
