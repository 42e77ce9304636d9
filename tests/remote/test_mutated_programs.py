"""Valid sessions with a few fields changed: a typed refusal, or a run as any other.

``TPUREF_FUZZ_CASES=10000`` tries ten times as many cases of each session,
``TPUREF_FUZZ_SEED=7`` others.
"""

import os
import random
import resource
import time
from typing import Any

import pytest

import tpuref as tf
from tpuref.base.error_codes import PATTERN

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote.served_session import ServedSession, Shared
from tpuref.engine.remote.wire import Reply, Request

from .mutations import Mutator
from .valid_sessions import PROGRAMS, sessions

CASES = int(os.environ.get("TPUREF_FUZZ_CASES", "1000")) // 5
SEED = int(os.environ.get("TPUREF_FUZZ_SEED", "0"))
NAMES = [build.__name__ for build in PROGRAMS]
SESSIONS = dict(zip(NAMES, sessions(), strict=True))

RUN_SECONDS = 2.0
"""How long a run may take that is given up then: a loop may have become endless."""

MEMORY_BYTES = 4 << 30


@pytest.fixture(autouse=True)
def memory():
    """A shape may have become huge: that is an error and not the end of the process."""
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def served(requests):
    """Give requests to a session and return its replies, up to the first host call."""
    shared = Shared("worker", 1 << 20)
    session = ServedSession(shared, "test")
    for request in requests:
        session.receive(request.SerializeToString())
    found: list[Any] = []
    _collect(session, found, RUN_SECONDS, "host_call")
    session.end()
    _collect(session, found, 60)
    assert not session._runs, "the run does not end"
    shared.cluster.reset()
    return found


def _collect(session, found, seconds, end=""):
    """Collect replies until nothing runs, or there is a reply of a kind."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        over = not session._runs
        while not session._outbox.empty():
            content = session._outbox.get()
            found += [] if content is None else [Reply.FromString(content)]
        if over or end in [reply.WhichOneof("kind") for reply in found]:
            return
        time.sleep(0.0005)


def is_typed(reply):
    """Whether a reply is no error, or one that tpuref means."""
    kind = reply.WhichOneof("kind")
    if kind not in ("failed", "refused"):
        return kind in ("opened", "done", "host_call", "devices", "alive")
    fault = getattr(reply, kind)
    if fault.builtin:
        return PATTERN.search(fault.message) is not None
    return bool(fault.code != tf.errors.INTERNAL)


@pytest.mark.parametrize("name", NAMES)
def test_valid_sessions_run(name):
    opened, *others = served(SESSIONS[name])
    assert opened.HasField("opened")
    assert others[0].WhichOneof("kind") in ("done", "host_call"), others


@pytest.mark.parametrize("name", NAMES)
def test_a_mutated_session(name):
    seed = f"{SEED} {name}"
    mutator = Mutator([r for requests in SESSIONS.values() for r in requests], seed)
    often = random.Random(seed)
    for case in range(CASES):
        opening, run = (
            Request.FromString(r.SerializeToString()) for r in SESSIONS[name]
        )
        done = [mutator.mutate(run) for _ in range(often.randint(1, 3))]
        for reply in served([opening, run]):
            assert is_typed(reply), f"seed {SEED}, case {case}: {done}: {reply}"
