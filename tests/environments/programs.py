"""One small program, run by Python in all sorts of ways."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tpuref

SOURCE = str(Path(tpuref.__file__).parents[1])

PROGRAM = """\
import numpy as np
import tpuref as tf
def computation(x, y):
    return tf.tpu.cross_replica_sum(x * 2.0), tf.tpu.cross_replica_sum(y)
with tf.Session() as session:
    ones = np.ones(1 << 16, np.float32)
    results = tf.tpu.replicate(computation, [[1.0, ones], [2.0, ones]])
    print(*(float(small + large.mean()) for small, large in session.run(results)))
"""
RESULT = "8.0 8.0\n"


def python(folder, *arguments, stdin="", before=(), status=0, **settings):
    """Run Python, with some words in front; return what it prints, without errors."""
    with tempfile.TemporaryDirectory() as scratch:  # a short name, for sockets in it
        own = {"PYTHONPATH": SOURCE, "TMPDIR": scratch, "TPUREF_EXECUTOR": "pool"}
        done = subprocess.run(
            [*before, sys.executable, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=folder,
            env=os.environ | own | {"TPUREF_CORES": "2"} | settings,
            timeout=300,
        )
        left = os.listdir(scratch)
    assert done.stderr == "", done.stderr
    assert done.returncode == status, done.stdout
    assert left == []
    return done.stdout
