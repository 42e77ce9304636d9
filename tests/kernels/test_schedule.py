"""The schedules: what a ring moves, proved by letting names of cores travel."""

from __future__ import annotations

import pytest

from tpuref.kernels import schedule

CORES = [1, 2, 3, 4, 7, 8, 16]


@pytest.mark.parametrize("num_cores", CORES)
def test_chunks_cover_the_vector_evenly(num_cores):
    for length in (0, 1, num_cores - 1, num_cores, num_cores + 1, 1000):
        places = [schedule.chunk_slice(length, num_cores, c) for c in range(num_cores)]
        covered = [element for place in places for element in range(length)[place]]
        assert covered == list(range(length))
        sizes = [place.stop - place.start for place in places]
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("num_cores", CORES)
def test_every_core_talks_to_its_neighbours_once_a_step(num_cores):
    steps = [
        *schedule.ring_reduce_scatter(num_cores),
        *schedule.ring_all_gather(num_cores),
    ]
    assert len(steps) == 2 * (num_cores - 1)
    for step in steps:
        assert sorted(transfer.sender for transfer in step) == list(range(num_cores))
        for sender, receiver, _ in step:
            assert receiver == (sender + 1) % num_cores


@pytest.mark.parametrize("num_cores", CORES)
def test_every_core_sends_all_chunks_but_one_in_each_phase(num_cores):
    for phase in (schedule.ring_reduce_scatter, schedule.ring_all_gather):
        sent = {core: set() for core in range(num_cores)}
        for step in phase(num_cores):
            for sender, _, chunk in step:
                sent[sender].add(chunk)
        assert all(len(chunks) == num_cores - 1 for chunks in sent.values())


@pytest.mark.parametrize("num_cores", CORES)
def test_chunks_meet_the_cores_in_the_documented_order(num_cores):
    chunks = range(num_cores)
    held = {core: {chunk: [core] for chunk in chunks} for core in range(num_cores)}
    for step in schedule.ring_reduce_scatter(num_cores):
        messages = [(to, chunk, held[of][chunk]) for of, to, chunk in step]
        for receiver, chunk, message in messages:
            held[receiver][chunk] = message + held[receiver][chunk]
    for chunk in chunks:
        owner = schedule.ring_owner(num_cores, chunk)
        assert held[owner][chunk] == schedule.ring_fold_order(num_cores, chunk)
        assert sorted(held[owner][chunk]) == list(range(num_cores))


@pytest.mark.parametrize("num_cores", CORES)
def test_finished_chunks_reach_everyone(num_cores):
    owners = {
        chunk: schedule.ring_owner(num_cores, chunk) for chunk in range(num_cores)
    }
    held = {
        core: {chunk for chunk, owner in owners.items() if owner == core}
        for core in range(num_cores)
    }
    for step in schedule.ring_all_gather(num_cores):
        assert all(chunk in held[sender] for sender, _, chunk in step)
        for _, receiver, chunk in step:
            held[receiver].add(chunk)
    assert all(chunks == set(range(num_cores)) for chunks in held.values())
