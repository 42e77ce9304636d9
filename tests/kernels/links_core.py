"""What each core does in the tests of the links: in a thread, or run as a process.

As a process: ``links_core.py twin descriptor bytes core cores``. It then takes pickled
tasks from its standard input and writes what they give to its standard output.
"""

from __future__ import annotations

import importlib
import mmap
import pickle
import sys
import time
from typing import NamedTuple

import numpy as np


class Job(NamedTuple):
    """A collective: where each core's source, result and scratch lie, and of what."""

    kind: str
    members: list[int]
    sources: list[int]
    results: list[int]
    scratches: list[int]
    count: int
    dtype: np.dtype
    fingerprint: int = 1


def take_part(twin, links, arena, core, job):
    """Carry out one job and give its status."""
    members = np.array(job.members, np.int64)
    code = twin.dtype_code(job.dtype)
    source, result = job.sources[core], job.results[core]
    if job.kind == "barrier":
        return links.barrier(members, job.fingerprint)
    if job.kind == "flat":
        size = job.count * job.dtype.itemsize
        return links.flat(
            members,
            arena[source : source + size],
            arena[result : result + size],
            code,
            job.fingerprint,
        )
    if job.kind == "direct":
        return links.direct(members, source, result, job.count, code, job.fingerprint)
    return links.ring(
        members,
        source,
        result,
        job.scratches[core],
        job.count,
        code,
        job.fingerprint,
    )


def all_jobs(twin, links, arena, core, jobs):
    """Carry out those jobs in turn that a core is a member of; give their statuses."""
    own = [job for job in jobs if core in job.members]
    return [take_part(twin, links, arena, core, job) for job in own]


def chain(twin, links, arena, core, rounds, rooms, groupings, kinds):
    """Sum in groups that change from round to round, now and then after a delay.

    Gives the rounds in which the status or the sum was wrong, or a neighbour had
    overwritten something too early.
    """
    common, own = np.random.default_rng(1), np.random.default_rng([2, core])
    wrong = []
    for turn in range(rounds):
        grouping = groupings[common.integers(len(groupings))]
        kind = kinds[common.integers(len(kinds))]
        count = int(common.integers(0, 40))
        group = next(group for group in grouping if core in group)
        delay = own.random()
        if delay < 0.05:
            time.sleep(delay / 100)
        elif delay < 0.3:
            sum(range(int(delay * 5000)))
        # Every round has a result of its own, as others may still read the one before.
        room, span = rooms[core], 8 * 40
        source = arena[room : room + 8 * count].view(np.int64)
        source[:] = np.arange(count) * 1000 + turn + core
        result = room + span * (1 + turn)
        job = Job(
            kind,
            group,
            [room] * (core + 1),
            [result] * (core + 1),
            [0] * (core + 1),
            count,
            np.dtype(np.int64),
            turn * 100 + min(group),
        )
        status = take_part(twin, links, arena, core, job)
        source[:] = -1
        if kind == "barrier":
            if status != 0:
                wrong.append((turn, kind, status))
            continue
        if kind == "direct":
            result = links.shared_result
        total = arena[result : result + 8 * count].view(np.int64)
        expected = (np.arange(count) * 1000 + turn) * len(group) + sum(group)
        if status != 0 or (total != expected).any():
            wrong.append((turn, kind, status))
    return wrong


def main():
    twin = importlib.import_module(f"tpuref.kernels.{sys.argv[1]}.links")
    descriptor, size, core, cores = map(int, sys.argv[2:])
    arena = np.frombuffer(mmap.mmap(descriptor, size), np.uint8)
    links = twin.Links(arena, 0, core, cores, 0)
    while True:
        try:
            scenario, run, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        links.begin(run, 60.0)
        try:
            answer = globals()[scenario](twin, links, arena, core, *arguments)
        finally:
            links.finish()
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
