"""Parts of a computation, one on each thread."""

import threading
import time

import pytest

from tpuref.kernels import parts

from ..pythons import python

LARGE = 2 * parts.LEAST_WORK


@pytest.fixture(autouse=True)
def three_threads(monkeypatch):
    monkeypatch.setattr(parts, "blas_threads", lambda: 3)


@pytest.mark.parametrize("count", [1, 2, 3, 100])
def test_the_parts_are_the_whole(count):
    ranges = []
    parts.in_parts(lambda first, last: ranges.append((first, last)), count, LARGE)
    assert [k for first, last in sorted(ranges) for k in range(first, last)] == [
        *range(count)
    ]
    assert len(ranges) == min(count, 3)


def test_little_work_stays_on_this_thread():
    threads = []
    parts.in_parts(
        lambda *_: threads.append(threading.get_ident()), 9, parts.LEAST_WORK - 1
    )
    assert threads == [threading.get_ident()]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_error_is_raised_after_all_parts_have_ended(failing):
    ended = []

    def compute(first, last):
        if first == failing:
            raise MemoryError("too large")
        time.sleep(0.05)
        ended.append(first)

    for _ in range(2):  # the threads go on
        ended.clear()
        with pytest.raises(MemoryError, match="too large"):
            parts.in_parts(compute, 3, LARGE)
        assert {*ended} == {0, 1, 2} - {failing}


FORKING = """
import os
from tpuref.kernels import parts
parts.blas_threads = lambda: 2
parts.in_parts(lambda *_: None, 2, parts.LEAST_WORK)
child = os.fork()
parts.in_parts(lambda *_: None, 2, parts.LEAST_WORK)
if child:
    print(os.waitpid(child, 0)[1])
else:
    os._exit(7)
"""


def test_a_forked_process_starts_threads_of_its_own():
    outcome = python("-W", "ignore", "-c", FORKING, check=True)
    assert int(outcome.stdout) == 7 << 8
