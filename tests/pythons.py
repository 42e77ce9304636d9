"""Runs Python in a new process."""

import os
import subprocess
import sys


def python(*arguments, env=None, cwd=None, stdin=None, check=False):
    """Run Python to its end, for 300 seconds at most, and return what it wrote.

    ``env`` has variables beside those of this process.
    """
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        check=check,
    )
