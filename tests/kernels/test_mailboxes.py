"""Mailboxes: what is put in is taken out, in order, by the other process."""

import mmap
import os
import time

import numpy as np
import pytest

from tpuref.kernels.status import FULL, PUT, PUT_FOR_SLEEPER

from .conftest import kernels_of

SECOND = 1_000_000_000


@pytest.fixture
def kernel(kernels):
    return kernels.mailboxes


@pytest.fixture
def arena(kernel):
    """Return memory that a fork shares."""
    return np.frombuffer(mmap.mmap(-1, 64 + kernel.MAILBOX_BYTES), np.uint8)


def test_both_twins_lay_a_mailbox_out_alike(arena):
    twins = [kernels_of(name).mailboxes for name in ("python", "cython")]
    assert len({twin.MAILBOX_BYTES for twin in twins}) == 1
    for writing, reading in (twins, twins[::-1]):
        arena[:] = 0
        writer, reader = writing.Mailbox(arena, 64), reading.Mailbox(arena, 64)
        for content in (b"one", b"", b"\0" * 300):
            assert writer.put(content) != FULL
            assert reader.take() == content


def test_one_message_at_a_time(kernel, arena):
    writer, reader = kernel.Mailbox(arena, 64), kernel.Mailbox(arena, 64)
    assert not reader.has_next() and reader.take() is None
    assert writer.put(b"first") == PUT_FOR_SLEEPER
    assert writer.put(b"second, through the socket") == FULL
    writer.pass_by()
    assert reader.has_next() and reader.take() == b"first"
    assert writer.put(b"fourth") != FULL
    for _ in range(2):  # the second and the third come through the socket
        assert reader.take() is None
        assert not kernel.await_any([reader], 10 * SECOND)
        reader.count_taken()
    assert kernel.await_any([reader], 0)
    assert reader.take() == b"fourth"


def test_what_does_not_fit(kernel, arena):
    writer, reader = kernel.Mailbox(arena, 64), kernel.Mailbox(arena, 64)
    largest = kernel.MAILBOX_BYTES - 256
    assert writer.put(b"x" * (largest + 1)) == FULL
    reader.count_taken()
    assert writer.put(b"y" * largest) != FULL
    assert reader.take() == b"y" * largest


def test_who_looks_need_not_be_woken(compiled, arena):
    writer, reader = (compiled.mailboxes.Mailbox(arena, 64) for _ in range(2))
    for looking, expected in [(True, PUT), (False, PUT_FOR_SLEEPER)]:
        reader.look(looking)
        assert writer.put(b"") == expected
        assert reader.take() == b""


def test_a_wait_ends(kernel, arena):
    reader = kernel.Mailbox(arena, 64)
    begin = time.monotonic()
    assert not kernel.await_any([reader], SECOND // 100)
    assert time.monotonic() - begin < 10


# Where a test before it imported JAX, the fork warns of threads; the child has none.
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*fork:RuntimeWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_many_messages_between_two_processes(kernel, arena):
    writer, reader = kernel.Mailbox(arena, 64), kernel.Mailbox(arena, 64)
    count = 2000
    child = os.fork()
    if child == 0:
        for number in range(count):
            content = bytes([number % 251]) * (number % 500)
            if writer.put(content) == FULL:
                os._exit(1)
            while arena[64 + 128 : 64 + 136].view(np.uint64)[0] <= number:
                os.sched_yield()  # until it has been taken
        os._exit(0)
    deadline = time.monotonic() + 60
    for number in range(count):
        while not kernel.await_any([reader], SECOND // 1000):
            assert time.monotonic() < deadline
            os.sched_yield()
        assert reader.take() == bytes([number % 251]) * (number % 500)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("start", [-64, 1, 128])
def test_no_room(kernel, arena, start):
    with pytest.raises(ValueError, match="do not fit"):
        kernel.Mailbox(arena, start)
