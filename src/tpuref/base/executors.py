"""The executors of replicated programs, by name."""

from __future__ import annotations

EXECUTORS = ("pool", "lockstep", "xla")
"""The executors; the first is the default."""
