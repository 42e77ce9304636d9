"""The processors that this process may use."""

import functools
import math
import os
from pathlib import Path

CONTROL_GROUPS = Path("/sys/fs/cgroup")


def usable_processors() -> int:
    """Return the number of processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_quota() -> float | None:
    """Return the processor time that a container may use, None if unlimited."""
    try:  # version 2 of control groups
        quota, period = (CONTROL_GROUPS / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (CONTROL_GROUPS / "cpu" / "cpu.cfs_quota_us").read_text()
            period = (CONTROL_GROUPS / "cpu" / "cpu.cfs_period_us").read_text()
        except OSError:
            return None
    if quota == "max" or int(quota) <= 0:
        return None
    return int(quota) / int(period)


def processors() -> int:
    """Return the number of processors that the cores can keep busy, at least 1."""
    quota = cpu_quota()
    usable = usable_processors()
    return usable if quota is None else max(1, min(usable, math.floor(quota)))


@functools.cache
def blas_threads() -> int:
    """Return the number of threads that OpenBLAS computes with: fixed at its start."""
    return int(os.environ.get("OPENBLAS_NUM_THREADS") or 0) or processors()
