"""The executors of replicated programs, by name."""

EXECUTORS = ("pool", "lockstep", "xla")
"""The executors; the first is the default."""
