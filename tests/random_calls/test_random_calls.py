"""Public functions and methods with random arguments raise typed errors, or none.

Each call has a seed, which the message of a failure has.  A call is repeated with
``TPUREF_RANDOM_CALLS=1 TPUREF_RANDOM_SEED=<seed>``.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator

import pytest

from .call import fault_of
from .public import callees

COUNT = int(os.environ.get("TPUREF_RANDOM_CALLS", "1000"))
FIRST_SEED = int(os.environ.get("TPUREF_RANDOM_SEED", "0"))
MEMORY = 4 << 30
"""More address space than this is refused at once, instead of filled."""


@pytest.fixture
def little_memory() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.usefixtures("little_memory")
def test_random_calls_raise_typed_errors() -> None:
    known = callees()
    seeds = range(FIRST_SEED, FIRST_SEED + COUNT)
    faults = [fault for seed in seeds if (fault := fault_of(seed, known))]
    assert not faults, f"{len(faults)} of {COUNT} calls:\n" + "\n".join(faults)
