"""Variables, random streams, and what remains of the replicas' values."""

from __future__ import annotations

import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.meaning.state import ReplicaVariables, State, commit


def f32(*values: float) -> Any:
    return np.array(values, np.float32)


# -- variables -----------------------------------------------------------------


def test_a_variable_has_the_value_that_was_written_last() -> None:
    state = State()
    assert not state.is_initialized("v")
    state.write("v", f32(1))
    state.write("v", f32(2))
    assert state.is_initialized("v") and state.read("v").tolist() == [2.0]
    assert not state.is_initialized("w")


def test_reading_a_variable_without_a_value() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError) as raised:
        State().read("weights")
    message = str(raised.value)
    assert "'weights'" in message and "global_variables_initializer" in message


def test_a_replica_reads_its_own_writes_and_else_the_shared_value() -> None:
    state = State()
    state.write("v", f32(1))
    one, other = ReplicaVariables(state), ReplicaVariables(state)
    one.write("v", f32(2))
    one.write("w", f32(3))
    assert one.read("v").tolist() == [2.0] and other.read("v").tolist() == [1.0]
    assert one.is_initialized("w") and not other.is_initialized("w")
    assert other.is_initialized("v") and state.read("v").tolist() == [1.0]
    with pytest.raises(tf.errors.FailedPreconditionError):
        other.read("w")


# -- what remains --------------------------------------------------------------


def views_of(state: State, *values: Any) -> list[ReplicaVariables]:
    """A view per value; None for a replica that does not write."""
    views = [ReplicaVariables(state) for _ in values]
    for view, value in zip(views, values, strict=True):
        if value is not None:
            view.write("v", np.asarray(value))
    return views


@pytest.mark.parametrize("check", [False, True])
def test_what_all_wrote_remains(check: bool) -> None:
    state = State()
    commit(views_of(state, f32(5), f32(5)), ReplicaVariables(state), state, check)
    assert state.read("v").tolist() == [5.0]


def test_replica_0_decides() -> None:
    state = State()
    commit(views_of(state, f32(5), f32(6)), ReplicaVariables(state), state, check=False)
    assert state.read("v").tolist() == [5.0]


def test_what_only_others_wrote_does_not_remain() -> None:
    state = State()
    commit(views_of(state, None, f32(6)), ReplicaVariables(state), state, check=False)
    assert not state.is_initialized("v")
    state.write("v", f32(1))
    commit(views_of(state, None, f32(6)), ReplicaVariables(state), state, check=False)
    assert state.read("v").tolist() == [1.0]


def disagreement(state: State, *values: Any) -> str:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        commit(views_of(state, *values), ReplicaVariables(state), state, check=True)
    assert "'v'" in str(raised.value)
    return str(raised.value)


def test_a_replica_that_leaves_the_old_value_disagrees() -> None:
    state = State()
    state.write("v", f32(1))
    message = disagreement(state, f32(2), None)
    assert "replica 0 has 2.0, replica 1 has 1.0" in message
    assert state.read("v").tolist() == [1.0]


def test_a_replica_that_leaves_no_value_is_named() -> None:
    assert "replica 1 leaves no value" in disagreement(State(), f32(2), None)
    assert "replica 0 leaves no value" in disagreement(State(), None, f32(2))


def test_the_first_differing_element_is_named() -> None:
    first = np.zeros([3, 4], np.float32)
    other = first.copy()
    other[1, 2] = 7.0
    other[2, 0] = 8.0
    message = disagreement(State(), first, first, other)
    assert "index [1, 2] replica 0 has 0.0, replica 2 has 7.0" in message


def test_scalars_have_an_empty_index() -> None:
    message = disagreement(State(), np.int32(1), np.int32(2))
    assert "index [] replica 0 has 1, replica 1 has 2" in message


def test_shapes_that_differ_are_named() -> None:
    message = disagreement(State(), f32(1, 2), f32(1))
    assert "replica 0 [2], replica 1 [1]" in message


def test_equal_bits_agree_whatever_they_mean() -> None:
    for value in (f32(np.nan, 1), np.array([b"a"], object), np.zeros([0, 3])):
        state = State()
        commit(
            views_of(state, value, value.copy()),
            ReplicaVariables(state),
            state,
            check=True,
        )
        assert state.is_initialized("v")


def test_bits_are_compared_and_not_numbers() -> None:
    message = disagreement(State(), f32(np.nan, 0.0), f32(np.nan, -0.0))
    assert "index [1] replica 0 has 0.0, replica 1 has -0.0" in message
    one, other = (np.array([1, 2.5 + k], ml_dtypes.bfloat16) for k in range(2))
    assert "index [1] replica 0 has 2.5, replica 1 has 3.5" in disagreement(
        State(), one, other
    )


def test_text_is_compared_by_value() -> None:
    same = [np.array([bytes([97, 98]), b"c"], object) for _ in range(2)]
    state = State()
    commit(views_of(state, *same), ReplicaVariables(state), state, check=True)
    changed = np.array([b"ab", b"d"], object)
    assert "index [1] replica 0 has b'c'" in disagreement(State(), same[0], changed)


# -- random streams ------------------------------------------------------------


def draw(
    state: State, operation: str = "op", replica: int = 0, seed: Any = (1, 2)
) -> Any:
    return state.generator(operation, replica, seed).random()


def test_seeded_streams_are_the_same_in_every_session() -> None:
    one, other = State(), State()
    assert [draw(one), draw(one)] == [draw(other), draw(other)]


def test_streams_differ_by_seed_replica_and_evaluation() -> None:
    state = State()
    values = [
        draw(state),
        draw(state),
        draw(state, replica=1),
        draw(state, seed=(1, 3)),
        draw(state, seed=(2, 2)),
        draw(state, seed=(2, 1)),
    ]
    assert len(set(values)) == len(values)


def test_replicas_count_their_evaluations_apart() -> None:
    state, other = State(), State()
    for _ in range(3):
        draw(state, replica=0)
    assert draw(state, replica=1) == draw(other, replica=1)


@pytest.mark.parametrize("seed", [(None, None), (None, 1), (1, None)])
def test_without_both_seeds_sessions_and_operations_differ(seed: Any) -> None:
    one, other = State(), State()
    values = [
        draw(one, seed=seed),
        draw(other, seed=seed),
        draw(one, "other", seed=seed),
        draw(one, replica=1, seed=seed),
    ]
    assert len(set(values)) == 4


def test_negative_and_large_seeds_are_seeds() -> None:
    assert draw(State(), seed=(-1, 2)) == draw(State(), seed=(-1, 2))
    assert draw(State(), seed=(-1, 2)) != draw(State(), seed=(1, 2))
    assert draw(State(), seed=(2**70, 2**70 + 5)) == draw(State(), seed=(0, 5))


def test_the_count_of_draws_can_be_carried_over() -> None:
    state, other = State(), State()
    draw(state), draw(state)
    assert state.draws("op", 0) == 2 and state.draws("op", 1) == 0
    other.set_draws("op", 0, 2)
    assert draw(state) == draw(other)


def test_draws_from_several_threads_are_all_different() -> None:
    state = State()
    values: list[float] = []
    threads = [
        threading.Thread(target=lambda: values.extend(draw(state) for _ in range(50)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(values)) == 200


# -- queues --------------------------------------------------------------------


def test_a_queue_is_found_by_its_name() -> None:
    state = State()
    assert state.infeed("a") is state.infeed("a")
    assert state.infeed("a") is not state.infeed("b")
    assert State().infeed("a") is not state.infeed("a")
