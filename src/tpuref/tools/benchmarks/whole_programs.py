"""Training programs: tpuref on 8 cores beside TensorFlow on the same processors."""

import contextlib
import importlib.util
import json
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB, System
from tpuref.tools.benchmarks.contest import PAUSE_SECONDS, Samples, Withdrawn
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.programs import runs
from tpuref.tools.benchmarks.table import Goal, Row, Table, fastest, times_as_fast

FLOOR = "products alone"
"""The column of the matrix products of a step in NumPy, without anything else."""

CORES = 8
STEPS = 10
QUICK_STEPS = 3
VERIFIED_STEPS = 2
"""Later losses of a program depend more on its roundings."""

TARGETS = {"pool": 1.0, "xla": 1 / 0.7}
"""The targets of the speed relative to the fastest TensorFlow."""

PRODUCTS: dict[str, Sequence[tuple[int, int, int, int]]] = {
    "bert": [
        (2 * 4 * 3, 2048, 128, 128),
        (2 * 2 * 3, 2048, 128, 512),
        (2 * 2 * 64 * 3, 64, 64, 64),
        (3, 256, 128, 1000),
    ],
    "gpt2": [
        (4 * 4 * 3, 1024, 256, 256),
        (4 * 2 * 3, 1024, 256, 1024),
        (4 * 2 * 64 * 3, 64, 64, 64),
        (3, 1024, 256, 1000),
    ],
    "mnist": [(2, 100352, 25, 32), (3, 25088, 800, 64), (3, 128, 3136, 1024)],
    "resnet": [
        (2, 65536, 27, 16),
        (6, 65536, 144, 16),
        *((3, 16384, inner, 32) for inner in (144, 288)),
        *((3, 4096, inner, 64) for inner in (288, 576)),
    ],
    "lstm": [(32 * 3, 128, 156, 512)],
    "digits": [(3, 128, 64, 256), (3, 128, 256, 10)],
}
"""By program, the products of a step: their number, and rows, inner size, columns.

The backward pass has two for each of the forward pass; a convolution is the product of
its patches and filters.
"""


class TensorFlow:
    """TensorFlow in a process of another interpreter; `release` is its version."""

    def __init__(self, interpreter: str) -> None:
        self._process = subprocess.Popen(
            [
                interpreter,
                "-W",
                "ignore",
                str(Path(runs.__file__).with_name("serve.py")),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.release: str = self._answer()["release"]

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Withdrawn("TensorFlow ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def steps(self, program: str, count: int) -> list[float]:
        """Take steps of a program and return their losses."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([program, count]) + "\n")
        self._process.stdin.flush()
        losses: list[float] = self._answer()["losses"]
        return losses

    def has(self, program: str) -> bool:
        """Return whether the release can run a program."""
        return program in runs.GRAPHS or self.release >= "2"

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    executors = ["pool"] + ["xla"] * (importlib.util.find_spec("jax") is not None)
    table = Table("programs", "A step of a training program", [*executors])
    with contextlib.ExitStack() as stack:
        peers = {}
        for interpreter in extent.tensorflow:
            peer = TensorFlow(interpreter)
            stack.callback(peer.close)
            peers[f"TensorFlow {peer.release}"] = peer
        table.contestants = [*executors, *peers, FLOOR]
        for program in (*runs.GRAPHS, *runs.LOOPS):
            for row in _rows(program, executors, peers, extent):
                table.add(row, extent.report)
    return [table]


def _rows(
    program: str, executors: Sequence[str], peers: dict[str, TensorFlow], extent: Extent
) -> Iterator[Row]:
    """Verify the losses of a program, time its steps in turns, and yield its row."""
    takers: dict[str, Callable[[int], list[float]]] = {
        name: lambda count, peer=peer: peer.steps(program, count)  # type: ignore[misc]
        for name, peer in peers.items()
        if peer.has(program)
    }
    with contextlib.ExitStack() as stack:
        own = {
            name: stack.enter_context(running_program(name, program))
            for name in executors
        }
        takers = {**own, **takers}
        losses = {name: take(VERIFIED_STEPS) for name, take in takers.items()}
        right = losses[next(reversed(losses))]
        for name, theirs in losses.items():
            np.testing.assert_allclose(theirs, right, rtol=1e-4, err_msg=name)
        count = QUICK_STEPS if extent.quick else STEPS
        samples: Samples = {name: [] for name in takers}
        for _ in range(extent.rounds):
            for name, take in takers.items():
                samples[name].append(_seconds(take, count))
            samples.setdefault(FLOOR, []).append(products_seconds(program))
    best = fastest(samples, peers)
    goals = [
        Goal(
            best or "TensorFlow",
            None if best is None else times_as_fast(samples, name, best),
            TARGETS[name],
        )
        for name in executors
    ]
    yield Row({"program": program}, samples, goals=goals)


def _seconds(take: Callable[[int], Any], count: int) -> float:
    """Return the seconds of a step, after one that does not count."""
    time.sleep(PAUSE_SECONDS)
    take(1)
    began = time.perf_counter()
    take(count)
    return (time.perf_counter() - began) / count


@contextlib.contextmanager
def running_program(
    executor: str, program: str
) -> Iterator[Callable[[int], list[float]]]:
    """Start a separate system, and yield a function of a number of steps on it."""
    system, is_loop = System(LOCAL_JOB), program in runs.LOOPS
    build = runs.loop if is_loop else runs.graph
    with contextlib.closing(system):

        def here(function: Callable[..., Any], *arguments: Any) -> Any:
            settings = tf.config.override(executor=executor, cores=CORES)
            with LOCAL.with_system(system), settings:
                return function(*arguments)

        take = here(build, tf.compat.v2 if is_loop else tf.compat.v1, program, CORES)
        yield lambda count: list(here(take, count))


def products_seconds(program: str) -> float:
    """Return the least seconds of a step's matrix products alone in NumPy.

    >>> products_seconds("digits") > 0
    True
    """
    total = 0.0
    for number, rows, inner, columns in PRODUCTS[program]:
        a = np.ones((rows, inner), np.float32)
        b = np.ones((inner, columns), np.float32)
        times = []
        for _ in range(4):
            began = time.perf_counter()
            np.matmul(a, b)
            times.append(time.perf_counter() - began)
        total += number * statistics.median(times)
    return total
