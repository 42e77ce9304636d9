"""The feed of a loop: who asks first makes it take the input of a step for all."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tpuref.base.errors import OutOfRangeError
from tpuref.engine.runtime.meaning.feed import Feed
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.pool.process.feed import AHEAD, FIRST, CoreFeed

from .programs import instr

Take = Callable[[], Sequence[Any]]


def counting(limit, width=1):
    values = iter(range(limit))

    def take():
        try:
            return [np.asarray(next(values)) for _ in range(width)]
        except (StopIteration, RuntimeError):
            raise OutOfRangeError("no more") from None

    return take


def plain(arrays):
    return [int(array) for array in arrays]


def test_each_replica_gets_its_own_element_of_each_step():
    feed = Feed(counting(6), replicas=3, width=1, steps=2)
    assert [plain(feed.next(r)) for r in (0, 1, 2, 2, 0, 1)] == [
        [0], [1], [2], [5], [3], [4],
    ]  # fmt: skip


def test_an_element_of_several_arrays_and_rounds_taken_at_once():
    feed = Feed(counting(8, width=4), replicas=2, width=2, steps=2)
    assert plain(feed.next(0, 9)) == [0, 1, 4, 5]
    assert plain(feed.next(1, 9)) == [2, 3, 6, 7]


def test_nothing_is_taken_beyond_the_last_step():
    taken: list[int] = []
    source = counting(100)

    def take():
        arrays = source()
        taken.extend(plain(arrays))
        return arrays

    feed = Feed(take, replicas=2, width=1, steps=3)
    assert plain(feed.next(0)) == [0]
    assert plain(feed.next(0, 8)) == [2, 4]
    assert plain(feed.next(1, 8)) == [1, 3, 5]
    assert taken == [0, 1, 2, 3, 4, 5]


def test_what_there_is_comes_before_the_end():
    feed = Feed(counting(5), replicas=2, width=1, steps=4)
    assert plain(feed.next(0, 8)) == [0, 2]
    assert plain(feed.next(1, 8)) == [1, 3]
    for replica in (0, 1):
        with pytest.raises(OutOfRangeError, match="4 steps .* for 2 of them"):
            feed.next(replica, 8)


def feed_of_shape(shape):
    return CoreFeed(instr("FeedDequeue", [], 0, shape=shape))


def asked_for(shape, steps):
    """Return how many elements a core asks for, call by call."""
    counts: list[int] = []
    fed, run = feed_of_shape(shape), object.__new__(Run)
    for _ in range(steps):
        if wanted := fed.wanted(run):
            counts.append(wanted)
            fed.fill([np.zeros(1)] * wanted)
        fed.next()
    return counts


@pytest.mark.parametrize(
    ("shape", "steps", "counts"),
    [
        ([4], 60, [FIRST, 8, AHEAD, AHEAD, AHEAD]),
        ([100_000], 8, [2, 2, 2, 2]),  # large elements wait in small numbers
        ([10_000_000], 3, [1, 1, 1]),
    ],
)
def test_a_core_asks_for_more_as_its_loop_goes_on(shape, steps, counts):
    assert asked_for(shape, steps) == counts


def test_elements_of_one_run_do_not_reach_the_next():
    numbers, fed = iter(range(100)), feed_of_shape([])

    def take(run):
        fed.fill([np.asarray(next(numbers)) for _ in range(fed.wanted(run))])
        return fed.next()

    first, second = object.__new__(Run), object.__new__(Run)
    assert plain([take(first)[0] for _ in range(2)]) == [0, 1]
    assert plain(take(second)) == [FIRST]
