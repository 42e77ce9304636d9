"""Limits that hold in this process and on servers alike."""

from __future__ import annotations

MAX_CORES = 1 << 22
"""The largest number of cores of a system."""

MAX_REPLICAS = 1 << 16
"""The largest number of replicas of one computation."""

MAX_DEPTH = 64
"""The greatest nesting depth of programs: the graph's own, and the branches, loops and
computations in it."""

MAX_AXES = 64
"""The most axes of a tensor, which are those of NumPy's arrays."""
