"""Who uses the cores: in turn, and no interrupt loses the owner."""

import contextlib
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.pool.host.occupation import Held, Occupation, _Hold
from tpuref.engine.runtime.pool.host.pool import CorePool
from tpuref.engine.runtime.system import LOCAL

TRACED = {
    value.__code__
    for owner in (Occupation, Held, _Hold)
    for value in vars(owner).values()
    if hasattr(value, "__code__")
} | {CorePool.run.__code__, CorePool.empty.__code__}


def interrupted(at, action):
    """Raise KeyboardInterrupt at a bytecode of the taking and giving back."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if frame.f_code not in TRACED:
            return None
        frame.f_trace_opcodes = True
        seen += event == "opcode"
        if seen > at:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # Python 3.12 looks for it in `settrace`
    sys.settrace(trace)
    with contextlib.suppress(KeyboardInterrupt):  # a finalizer only reports it
        try:
            action()
        finally:
            sys.settrace(before)
    return seen > at


def in_thread(action):
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(action()))
    thread.start()
    thread.join()
    return found[0]


def is_free(occupation):
    with occupation.held() as free:
        return free and not in_thread(lambda: occupation.held().__enter__())


def test_the_first_come_is_the_first_served():
    occupation, served = Occupation(), []

    def serve(number):
        for _ in range(2):
            with occupation.held("run", 60.0, lambda: None):
                served.append(number)

    threads = [threading.Thread(target=serve, args=(n,)) for n in range(8)]
    with occupation.held():
        for number, thread in enumerate(threads):
            thread.start()
            while len(occupation._holds) < number + 2:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert served == [*range(8), *range(8)]


@pytest.mark.parametrize("contended", [False, True])
def test_an_interrupt_at_any_bytecode_loses_no_owner(contended):
    occupation, at = Occupation(), 0

    def act():
        with occupation.held("run", 60.0, lambda: None):
            pass
        with occupation.held(seconds=60.0):
            pass

    def hold(begun):
        with occupation.held():
            begun.set()
            time.sleep(0.002)

    more = True
    while more:
        if contended:
            begun = threading.Event()
            threading.Thread(target=hold, args=(begun,)).start()
            begun.wait()
        more = interrupted(at, act)
        at += 1
        while contended and occupation.locked():
            time.sleep(0.001)
        assert not occupation.is_own and not occupation.locked(), at
        assert is_free(occupation), at
    assert at > 100


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_bytecode_of_a_run():
    with (
        tf.config.override(executor="pool", cores=2, processes=1, timeout=20.0),
        tf.Session() as session,
    ):
        fed = tf.placeholder(tf.float32, [500])  # so long that the host copies it
        first, _ = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[fed], [fed]])
        topology, value = tf.tpu.initialize_system(), np.ones(500, np.float32)

        def run():
            return float(session.run(first, {fed: value})[0][0])

        session.run(topology)
        assert run() == 2.0
        at, starts = 0, 1
        while interrupted(at, run):
            assert run() == 2.0, at
            assert in_thread(run) == 2.0, at
            if at % 40 == 0:
                session.run(tf.tpu.shutdown_system())
                session.run(topology)
                assert run() == 2.0, at
                starts += 1
            at += 1
        executor: Any = LOCAL._systems["localhost"]._executor
        assert executor.is_sound() and at > 80, (at, starts)
