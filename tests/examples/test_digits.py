"""The training example reaches its accuracy and agrees with plain NumPy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "digits.py"

pytest.importorskip("sklearn", reason="the examples need the extra 'examples'")


@pytest.mark.parametrize(("model", "epochs"), [("softmax", 30), ("perceptron", 60)])
def test_training_on_cores_equals_training_in_numpy(model, epochs):
    done = subprocess.run(
        [sys.executable, SCRIPT, "--model", model, "--epochs", str(epochs)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    accuracy = re.search(r"test accuracy: ([0-9.]+)", done.stdout)
    difference = re.search(r"largest difference to NumPy: (\S+)", done.stdout)
    assert accuracy is not None and float(accuracy[1]) >= 0.95
    assert difference is not None and float(difference[1]) <= 1e-5
