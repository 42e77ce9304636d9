"""Public functions and methods with random arguments raise typed errors, or none.

Each call has a seed, which the message of a failure has.  A call is repeated with
``TPUREF_RANDOM_CALLS=1 TPUREF_RANDOM_SEED=<seed>``, or
``TPUREF_RANDOM_CALLS=1 TPUREF_RANDOM_SEED=<seed> tox -e random-calls``.
"""

import os
import random
import resource

import pytest

import tpuref as tf

from .arguments import arguments
from .call import fault_of
from .public import Callee, callees

COUNT = int(os.environ.get("TPUREF_RANDOM_CALLS", "1000"))
SEED = os.environ.get("TPUREF_RANDOM_SEED", "0")
FIRST_SEED = random.randrange(10**9) if SEED == "any" else int(SEED)
MEMORY = 4 << 30
"""More additional address space than this is refused at once, instead of filled."""


@pytest.fixture
def little_memory():
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_random_calls_raise_typed_errors(tmp_path, monkeypatch, little_memory):
    monkeypatch.chdir(tmp_path)  # some write files
    known = callees()
    print(f"seeds {FIRST_SEED} to {FIRST_SEED + COUNT - 1}")
    seeds = range(FIRST_SEED, FIRST_SEED + COUNT)
    faults = [fault for seed in seeds if (fault := fault_of(seed, known))]
    assert not faults, f"{len(faults)} of {COUNT} calls:\n" + "\n".join(faults)


def test_an_untyped_error_is_found():
    def raw():
        raise AttributeError("'int' object has no attribute 'shape'")

    fault = fault_of(7, [Callee("tf.raw", function=raw)])
    assert fault is not None
    assert fault.startswith("seed 7: tf.raw()\n  AttributeError: 'int' object")


def test_a_type_error_that_python_raises_is_found():
    fault = fault_of(7, [Callee("tf.raw", function=lambda: [*5])])
    assert fault is not None
    assert "TypeError: Value after * must be an iterable, not int" in fault


def test_a_seed_gives_the_same_call_again():
    drawn = []
    for _ in range(2):
        tf.reset_default_graph()  # whose names of variables the calls show
        drawn.append(repr(arguments(random.Random(3), tf.pad)))
    assert drawn[0] == drawn[1]
