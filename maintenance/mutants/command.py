"""``tpuref conformance mutants``."""

import os
import subprocess
import sys


def main(arguments):
    """Run the hunt in a process that has not imported tpuref; return its status."""
    variables = dict(
        os.environ, TPUREF_EXECUTOR="lockstep", TPUREF_KERNELS="python", PYTHONPATH="."
    )
    command = [sys.executable, "-m", "maintenance.mutants", *arguments]
    return subprocess.call(command, env=variables)
