"""The documents' own examples, each run as a script in a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENTS = Path(__file__).resolve().parents[2] / "examples" / "documents"

PRINTED = {
    "replicate_basic.py": ["replica 0: 3.0", "replica 1: 6.0"],
    "replicate_advanced.py": [
        "3 and 5 rows: 2.0 and 4.0",
        "7 and 1 rows: 2.0 and 4.0",
        "4 and 4 rows: 2.0 and 4.0",
    ],
    "captured_constant_shard.py": ["[10, 10]"],
    "captured_constant_batch_parallel.py": ["[10, 10]"],
}


@pytest.mark.parametrize("script", sorted(PRINTED))
def test_example_prints_its_values(script):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(DOCUMENTS / script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == PRINTED[script]


def test_every_example_is_tested():
    assert sorted(path.name for path in DOCUMENTS.glob("*.py")) == sorted(PRINTED)
