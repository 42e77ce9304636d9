"""The example of a TensorFlow 2 loop reaches its accuracy and agrees with NumPy."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "tf2_digits.py"

pytest.importorskip("sklearn", reason="the examples need the extra 'examples'")


def test_the_loop_equals_training_in_numpy():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--epochs", "20", "--time"],
        env=os.environ | {"TPUREF_EXECUTOR": "pool"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    accuracy = re.search(r"test accuracy: ([0-9.]+)", done.stdout)
    assert accuracy is not None and float(accuracy[1]) >= 0.96
    assert "replicas: 8" in done.stdout and "ms per step" in done.stdout
