"""Limits of this process and of servers."""

MAX_CORES = 1 << 22
"""The largest number of cores of a system."""

MAX_REPLICAS = 1 << 16
"""The largest number of replicas of one computation."""

MAX_DEPTH = 64
"""The largest nesting depth of a graph's branches, loops and computations."""

MAX_AXES = 64
"""The largest rank of a tensor: the limit of NumPy's arrays."""
