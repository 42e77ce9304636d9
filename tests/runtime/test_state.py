"""Variables, random streams, and what remains of the replicas' values."""

import concurrent.futures

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.meaning.state import ReplicaVariables, State, commit


def f32(*values):
    return np.array(values, np.float32)


def views_of(state, *values):
    """A view per value; None for a replica that does not write."""
    views = [ReplicaVariables(state) for _ in values]
    for view, value in zip(views, values, strict=True):
        if value is not None:
            view.write("v", np.asarray(value))
    return views


def committed(state, *values, check=False):
    commit(views_of(state, *values), ReplicaVariables(state), state, check)
    return state


def test_what_all_wrote_remains_and_replica_0_decides():
    for check in (False, True):
        state = committed(State(), f32(5), f32(5), check=check)
        assert state.read("v").tolist() == [5.0]
    assert committed(State(), f32(5), f32(6)).read("v").tolist() == [5.0]
    state = committed(State(), None, f32(6))
    assert not state.is_initialized("v")
    state.write("v", f32(1))
    assert committed(state, None, f32(6)).read("v").tolist() == [1.0]


def disagreement(state, *values):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        commit(views_of(state, *values), ReplicaVariables(state), state, check=True)
    assert "'v'" in str(raised.value)
    return str(raised.value)


def test_a_replica_that_leaves_the_old_value_disagrees():
    state = State()
    state.write("v", f32(1))
    assert "replica 0 has 2.0, replica 1 has 1.0" in disagreement(state, f32(2), None)
    assert state.read("v").tolist() == [1.0]


ZEROS = np.zeros([3, 4], np.float32)
SPOILT = ZEROS.copy()
SPOILT[1, 2], SPOILT[2, 0] = 7.0, 8.0
HALVES = [np.array([1, 2.5 + k], ml_dtypes.bfloat16) for k in range(2)]
TEXTS = [np.array([b"ab", text], object) for text in (b"c", b"d")]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([f32(2), None], "replica 1 leaves no value"),
        ([None, f32(2)], "replica 0 leaves no value"),
        ([ZEROS, ZEROS, SPOILT], "index [1, 2] replica 0 has 0.0, replica 2 has 7.0"),
        ([np.int32(1), np.int32(2)], "index [] replica 0 has 1, replica 1 has 2"),
        ([f32(1, 2), f32(1)], "replica 0 [2], replica 1 [1]"),
        # Bits are compared, not numbers.
        ([f32(np.nan, 0.0), f32(np.nan, -0.0)], "index [1] replica 0 has 0.0, repl"),
        (HALVES, "index [1] replica 0 has 2.5, replica 1 has 3.5"),
        (TEXTS, "index [1] replica 0 has b'c'"),
    ],
)
def test_the_first_difference_is_named(values, message):
    assert message in disagreement(State(), *values)


def test_equal_bits_agree_whatever_they_mean():
    same = [np.array([bytes([97, 98]), b"c"], object) for _ in range(2)]
    for value in (f32(np.nan, 1), same[0], np.zeros([0, 3])):
        other = same[1] if value is same[0] else value.copy()
        assert committed(State(), value, other, check=True).is_initialized("v")


def draw(state, operation="op", replica=0, seed=(1, 2)):
    return state.generator(operation, replica, seed).random()


def test_seeded_streams_are_the_same_in_every_session():
    one, other = State(), State()
    assert [draw(one), draw(one)] == [draw(other), draw(other)]
    assert draw(one, replica=1) == draw(State(), replica=1)  # counted apart
    assert draw(State(), seed=(-1, 2)) == draw(State(), seed=(-1, 2))
    assert draw(State(), seed=(-1, 2)) != draw(State(), seed=(1, 2))
    assert draw(State(), seed=(2**70, 2**70 + 5)) == draw(State(), seed=(0, 5))


def test_streams_differ_by_seed_replica_and_evaluation():
    state = State()
    values = [draw(state), draw(state), draw(state, replica=1)]
    values += [draw(state, seed=seed) for seed in ((1, 3), (2, 2), (2, 1))]
    assert len(set(values)) == len(values)


@pytest.mark.parametrize("seed", [(None, None), (None, 1), (1, None)])
def test_without_both_seeds_sessions_and_operations_differ(seed):
    one, other = State(), State()
    values = {draw(one, seed=seed), draw(other, seed=seed)}
    values |= {draw(one, "other", seed=seed), draw(one, replica=1, seed=seed)}
    assert len(values) == 4


def test_the_count_of_draws_can_be_carried_over():
    state, other = State(), State()
    draw(state), draw(state)
    assert state.draws("op", 0) == 2 and state.draws("op", 1) == 0
    other.set_draws("op", 0, 2)
    assert draw(state) == draw(other)


def test_draws_from_several_threads_are_all_different():
    state = State()
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        values = threads.map(lambda _: [draw(state) for _ in range(50)], range(4))
        assert len({value for own in values for value in own}) == 200
