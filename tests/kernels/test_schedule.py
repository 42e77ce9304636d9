"""The schedules: what a ring moves, proved by letting names of cores travel."""

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


def steps(num_cores):
    """The steps of both phases: in each, the chunk that each core reads."""
    rows = [schedule.ring_chunks(num_cores, core) for core in range(num_cores)]
    columns = list(zip(*rows, strict=True))
    return columns[: num_cores - 1], columns[num_cores - 1 :]


@pytest.mark.parametrize("num_cores", CORES)
def test_every_core_reads_all_chunks_but_one_in_each_phase(num_cores):
    for phase in steps(num_cores):
        assert len(phase) == num_cores - 1
        for core in range(num_cores):
            assert len({step[core] for step in phase}) == num_cores - 1


@pytest.mark.parametrize("num_cores", CORES)
def test_a_ring_folds_each_chunk_from_the_core_where_it_sets_out(num_cores):
    cores = range(num_cores)
    held = {core: {chunk: [core] for chunk in cores} for core in cores}
    adding, copying = steps(num_cores)
    for step in adding:
        read = [held[(core - 1) % num_cores][step[core]] for core in cores]
        for core in cores:
            held[core][step[core]] = read[core] + held[core][step[core]]
    whole = {chunk: [(chunk + k) % num_cores for k in cores] for chunk in cores}
    for step in copying:
        for core in cores:
            assert held[(core - 1) % num_cores][step[core]] == whole[step[core]]
        for core in cores:
            held[core][step[core]] = whole[step[core]]
    assert all(held[core] == whole for core in cores)
