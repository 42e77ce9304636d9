"""The example of TPUStrategy reaches its accuracy and agrees with plain NumPy."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "strategy_digits.py"

pytest.importorskip("sklearn", reason="the examples need the extra 'examples'")


def test_training_in_steps_equals_training_in_numpy():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--compare-speed", "--turns", "1"],
        env=os.environ | {"TPUREF_EXECUTOR": "pool"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    accuracy = re.search(r"test accuracy: ([0-9.]+)", done.stdout)
    difference = re.search(r"largest difference to NumPy: (\S+)", done.stdout)
    assert accuracy is not None and float(accuracy[1]) >= 0.96
    assert difference is not None and float(difference[1]) <= 1e-5
    assert "steps on 8 cores: 540" in done.stdout
    assert "ratio: " in done.stdout
