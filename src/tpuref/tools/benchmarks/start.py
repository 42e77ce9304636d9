"""Starting and shutting down a system, in a separate process each time."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from tpuref.tools.benchmarks.contest import Samples, interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.table import Goal, Row, Table

CORES = 8
START_SECONDS = 1.0
SHUTDOWN_SECONDS = 0.2

SCRIPT = """
import json, sys, time
import tpuref as tf
with tf.config.override(cores=int(sys.argv[1]), executor="pool"):
    session = tf.Session()
    start, stop = tf.tpu.initialize_system(), tf.tpu.shutdown_system()
    times = [time.perf_counter()]
    for operation in (start, stop):
        session.run(operation)
        times.append(time.perf_counter())
print(json.dumps([times[1] - times[0], times[2] - times[1]]))
"""

INTERPRETER = [sys.executable, "-c", "import numpy, ml_dtypes"]
"""The command of a bare interpreter with the libraries that every core loads."""


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    cores = 2 if extent.quick else CORES
    shutdowns: list[float] = []

    def start() -> float:
        seconds, shutdown = started_and_ended(cores)
        shutdowns.append(shutdown)
        return seconds

    bare = f"{cores} interpreters"
    samples = interleaved({"tpuref": start, bare: _interpreters(cores)}, extent.rounds)
    table = Table("start", "Starting and shutting down a system", ["tpuref"])
    table.add(_row("start", cores, samples, START_SECONDS, bare), extent.report)
    ended = {"tpuref": shutdowns}
    table.add(_row("shutdown", cores, ended, SHUTDOWN_SECONDS), extent.report)
    return [table]


def started_and_ended(cores: int) -> tuple[float, float]:
    """Start and shut down a system in a separate process; return both times."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(cores)], stdout=subprocess.PIPE, check=True
    )
    seconds, shutdown = json.loads(done.stdout)
    return float(seconds), float(shutdown)


def _interpreters(count: int) -> Callable[[], float]:
    """Return a function that starts that many interpreters with the libraries."""

    def seconds() -> float:
        began = time.perf_counter()
        processes = [subprocess.Popen(INTERPRETER) for _ in range(count)]
        for process in processes:
            process.wait()
        return time.perf_counter() - began

    return seconds


def _row(
    phase: str, cores: int, samples: Samples, seconds: float, floor: str | None = None
) -> Row:
    return Row(
        point={"what": phase, "cores": str(cores)},
        samples=samples,
        floor=statistics.median(samples[floor]) if floor else None,
        goals=[
            Goal(f"{seconds:g} s", seconds / statistics.median(samples["tpuref"]), 1.0)
        ],
    )
