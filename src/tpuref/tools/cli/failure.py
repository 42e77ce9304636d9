"""Errors of the commands."""

import sys


def fail(command: str, error: object, status: int = 2) -> int:
    """Print why a command fails, and return its exit status."""
    print(f"tpuref {command}: {error}", file=sys.stderr)
    return status
