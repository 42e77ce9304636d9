"""Limits that hold in this process and on servers alike."""

from __future__ import annotations

MAX_REPLICAS = 1 << 16
"""The most replicas of one computation."""

MAX_DEPTH = 64
"""How deep programs may be nested: the graph's own, and branches, loops and
computations inside each other."""
