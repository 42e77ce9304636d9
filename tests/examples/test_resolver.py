"""The example of a resolver finds its TPU, and trains there as NumPy does here."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "resolver.py"

pytest.importorskip("sklearn", reason="the examples need the extra 'examples'")
pytest.importorskip("googleapiclient", reason="it needs the extra 'gcp'")
pytest.importorskip("grpc", reason="it needs the extra 'grpc'")


def test_a_tpu_is_found_by_its_name_and_trained_on():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--epochs", "5"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "tpu: 'my-tpu', the name of a Cloud TPU" in done.stdout
    assert "not yet: TPU 'my-tpu' is not ready: state 'CREATING'" in done.stdout
    assert re.search(r"grpc://localhost:\d+ has 8 cores", done.stdout)
    accuracy = re.search(r"test accuracy: ([0-9.]+)", done.stdout)
    difference = re.search(r"largest difference to NumPy: (\S+)", done.stdout)
    assert accuracy is not None and float(accuracy[1]) >= 0.9
    assert difference is not None and float(difference[1]) <= 1e-5
