"""Cores that are linked, in threads and in processes, for each twin of the kernels."""

import importlib
import importlib.util
import mmap
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np

from tpuref.kernels.fold import SUMMABLE
from tpuref.kernels.group import Group

SCRIPT = Path(__file__).with_name("links_core.py")
_SPEC = importlib.util.spec_from_file_location("links_core", SCRIPT)
links_core = importlib.util.module_from_spec(_SPEC)
sys.modules["links_core"] = links_core
_SPEC.loader.exec_module(links_core)
Job = links_core.Job

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = [dtype.np for dtype in SUMMABLE]
KINDS = ["flat", "direct", "ring"]
CORES = 8
LINE = 64
LATE = 99
"""The code that poisons a run that takes too long."""


class Ends(NamedTuple):
    """What one core holds."""

    flags: object
    links: object


class Twin:
    """The flags and the links of one implementation."""

    def __init__(self, name):
        self.name = name
        flags, links = (
            importlib.import_module(f"tpuref.kernels.{name}.{module}")
            for module in ("flags", "links")
        )
        self.Flags, self.control_bytes = flags.Flags, flags.control_bytes
        self.Links = links.Links


def group(members, dtype=1, fingerprint=1):
    return Group(np.array(members, np.int64), dtype, fingerprint)


class Threads:
    """Cores that are threads of this process."""

    def __init__(self, twin, arena_bytes=1 << 20, cores=CORES):
        self.twin, self.cores = twin, cores
        self.arena = np.frombuffer(mmap.mmap(-1, arena_bytes), np.uint8)
        self.heap = twin.control_bytes(cores)
        self.runs = 0

    def flags(self):
        return self.twin.Flags(self.arena, 0, self.cores)

    def links(self, core, flags, spins=0):
        return self.twin.Links(flags, core, spins)

    def run(self, cores, play, seconds=20.0, spins=0):
        """Let each of the cores play its part; give what they return, in order.

        Who still waits after so many seconds is poisoned.
        """
        self.runs += 1
        late = threading.Timer(seconds, lambda: self.flags().poison(LATE))

        def part(core):
            flags = self.flags()
            links = self.links(core, flags, spins)
            links.begin(self.runs)
            try:
                return play(core, Ends(flags, links))
            finally:
                links.finish()

        late.start()
        try:
            with ThreadPoolExecutor(max(len(cores), 1)) as threads:
                return list(threads.map(part, cores))
        finally:
            late.cancel()

    def run_scenario(self, cores, scenario, *arguments):
        play = getattr(links_core, scenario)
        return self.run(
            cores, lambda core, ends: play(ends.links, self.arena, core, *arguments)
        )

    def allocate(self, size):
        """Reserve memory that begins on a new cache line, and return its offset."""
        offset = self.heap
        self.heap += -(-size // LINE) * LINE
        return offset


class Processes:
    """Cores that are processes; they live as long as the tests of one twin."""

    def __init__(self, name, arena_bytes=1 << 28, cores=CORES):
        self.twin = Twin(name)
        descriptor = os.memfd_create("arena")
        os.ftruncate(descriptor, arena_bytes)
        self.arena = np.frombuffer(mmap.mmap(descriptor, arena_bytes), np.uint8)
        self.start = self.heap = self.twin.control_bytes(cores)
        self.runs = 0
        self.processes = [
            subprocess.Popen(
                [
                    *(sys.executable, str(SCRIPT), name),
                    *map(str, (descriptor, arena_bytes, core, cores)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[descriptor],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
            for core in range(cores)
        ]
        os.close(descriptor)

    def send(self, core, run, scenario, *arguments):
        pickle.dump((scenario, run, arguments), self.processes[core].stdin)
        self.processes[core].stdin.flush()

    def receive(self, core):
        return pickle.load(self.processes[core].stdout)

    def run_scenario(self, cores, scenario, *arguments):
        self.runs += 1
        for core in cores:
            self.send(core, self.runs, scenario, *arguments)
        return [self.receive(core) for core in cores]

    allocate = Threads.allocate

    def close(self):
        for process in self.processes:
            process.stdin.close()
        for process in self.processes:
            process.wait(20)
            process.stdout.close()
