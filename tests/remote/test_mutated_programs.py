"""Valid sessions with a few fields changed: a typed refusal, or a run as any other.

``TPUREF_FUZZ_CASES=10000`` tries ten times as many cases of each session,
``TPUREF_FUZZ_SEED=7`` others.
"""

import os
import random
import resource

import pytest

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote.wire import Request

from .mutations import Mutator
from .valid_sessions import PROGRAMS, is_typed, served, sessions

CASES = int(os.environ.get("TPUREF_FUZZ_CASES", "1000")) // 5
SEED = int(os.environ.get("TPUREF_FUZZ_SEED", "0"))
NAMES = [build.__name__ for build in PROGRAMS]
SESSIONS = dict(zip(NAMES, sessions(), strict=True))

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
        for reply in served([r.SerializeToString() for r in (opening, run)]):
            assert is_typed(reply), f"seed {SEED}, case {case}: {done}: {reply}"
