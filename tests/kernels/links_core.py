"""What each core does in the tests of the links: in a thread, or run as a process.

As a process: ``links_core.py twin descriptor bytes core cores``. It then takes pickled
tasks from its standard input and writes what they give to its standard output.
"""

import importlib
import mmap
import pickle
import signal
import sys
import time
from typing import NamedTuple

import numpy as np

from tpuref.base.dtypes import datatype_enum
from tpuref.kernels.group import Group

PATIENCE = 60
"""How many seconds a task may take."""


class Job(NamedTuple):
    """A collective: where each core's source, result and scratch lie, and of what.

    The 15 bytes before a source are free for its table of offsets.
    """

    kind: str
    members: list[int]
    sources: list[int]
    results: list[int]
    scratches: list[int]
    count: int
    dtype: np.dtype
    fingerprint: int = 1


def take_part(links, arena, core, job):
    """Carry out one job and give its status."""
    members = np.array(job.members, np.int64)
    group = Group(members, datatype_enum(job.dtype), job.fingerprint)
    source, result = job.sources[core], job.results[core]
    if job.kind == "flat":
        size = job.count * job.dtype.itemsize
        return links.flat(
            group, arena[source : source + size], arena[result : result + size]
        )
    table = write_table(arena, (source - 8) // 8 * 8, [source])
    if job.kind == "direct":
        return links.direct(group, table, result, job.count)
    return links.ring(group, table, result, job.scratches[core], job.count)


def write_table(arena, table, offsets):
    """Write the offsets of vectors into the arena and give those of the table."""
    arena[table : table + 8 * len(offsets)].view(np.int64)[:] = offsets
    return table


def all_jobs(links, arena, core, jobs):
    """Carry out those jobs in turn that a core is a member of; give their statuses."""
    own = [job for job in jobs if core in job.members]
    return [take_part(links, arena, core, job) for job in own]


def chain(links, arena, core, rounds, rooms, groupings, kinds):
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
        room, span = rooms[core], 4 * 40
        source = arena[room : room + 4 * count].view(np.int32)
        source[:] = np.arange(count) * 1000 + turn + core
        result = room + span * (1 + turn)
        job = Job(
            kind,
            group,
            [room] * (core + 1),
            [result] * (core + 1),
            [0] * (core + 1),
            count,
            np.dtype(np.int32),
            turn * 100 + min(group),
        )
        status = take_part(links, arena, core, job)
        source[:] = -1
        if kind == "direct":
            result = links.shared_result
        total = arena[result : result + 4 * count].view(np.int32)
        expected = (np.arange(count) * 1000 + turn) * len(group) + sum(group)
        if status != 0 or (total != expected).any():
            wrong.append((turn, kind, status))
    return wrong


def main():
    name, *numbers = sys.argv[1:]
    descriptor, size, core, cores = map(int, numbers)
    flags, links = (
        importlib.import_module(f"tpuref.kernels.{name}.{module}")
        for module in ("flags", "links")
    )
    arena = np.frombuffer(mmap.mmap(descriptor, size), np.uint8)
    end = links.Links(flags.Flags(arena, 0, cores), core, 0)
    while True:
        try:
            scenario, run, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        signal.alarm(PATIENCE)  # which ends the process
        end.begin(run)
        try:
            answer = globals()[scenario](end, arena, core, *arguments)
        finally:
            end.finish()
            signal.alarm(0)
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
