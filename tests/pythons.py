"""Runs Python in a new process."""

import os
import subprocess
import sys


def python(*arguments, env=None, cwd=None, stdin=None, check=False):
    """Run Python to its end, for 300 seconds at most, and return what it wrote.

    ``env`` has variables that differ from those of this process, None if not set.
    """
    variables = {**os.environ, **(env or {})}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={name: value for name, value in variables.items() if value is not None},
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        check=check,
    )
