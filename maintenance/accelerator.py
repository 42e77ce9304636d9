"""Check and measure tpuref on the accelerator that JAX finds, without a network.

``python3 -m maintenance.accelerator [--quick]`` runs in a checkout where tpuref is
installed (``TPUREF_PURE=1 pip install --no-deps --no-build-isolation -e .`` needs no
compiler); with ``--quick``, ``PYTHONPATH=src`` suffices.  It prints the devices, trains
the benchmark's programs on the accelerator and on lockstep and compares their losses,
times their steps, and runs the conformance suite on the executor ``xla``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np

import tpuref as tf
from tpuref.engine.runtime.executor import has_pool
from tpuref.tools.benchmarks.programs import runs
from tpuref.tools.benchmarks.whole_programs import running_program

TOLERANCE = 2e-3
"""The relative difference of losses: accelerators add in another order."""

LOSSES = 3


def main() -> int:
    """Run all checks, and return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="skip the suite")
    parser.add_argument("--steps", type=int, default=20, help="the steps to time")
    options = parser.parse_args()
    devices = jax.devices()
    print(f"JAX {jax.__version__}, {len(devices)} {devices[0].device_kind}", flush=True)
    wrong = [
        name
        for name in (*runs.GRAPHS, *runs.LOOPS)
        if not _compare(name, options.steps)
    ]
    if not options.quick and _conformance():
        wrong.append("conformance")
    print(f"wrong: {', '.join(wrong)}" if wrong else "all agree")
    return 1 if wrong else 0


def _compare(name: str, steps: int) -> bool:
    """Print a line for a program, and return whether its losses agree."""
    cells, found = [name], {}
    for executor in ("lockstep", "xla", *["pool"] * has_pool()):
        began = time.perf_counter()
        with running_program(executor, name) as take:
            found[executor] = take(LOSSES)
            first = time.perf_counter() - began
            if executor != "lockstep":
                began = time.perf_counter()
                take(steps)
                each = (time.perf_counter() - began) / steps
                cells.append(f"{executor} {first:.1f} s to start, {each * 1e3:.2f} ms")
    agree = all(
        np.allclose(losses, found["lockstep"], rtol=TOLERANCE)
        for losses in found.values()
    )
    print(f"{', '.join(cells)}, {'agrees' if agree else found}", flush=True)
    return agree


def _conformance() -> int:
    """Run the conformance suite on the executor on XLA, and return its status."""
    command = [sys.executable, "-m", "tpuref", "conformance", "--tier", "run"]
    command += ["--subject", "tpuref-xla"]
    return subprocess.run(
        command, cwd=Path(tf.__file__).parents[2], check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
