"""Processes that are killed while they save: the last checkpoint is always whole."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf

pytest.importorskip(
    "safetensors", reason="needs the extra: pip install tpuref[training]"
)

KILLS = 200 if os.environ.get("TPUREF_SOAK") == "full" else 6
PROGRAM = Path(__file__).with_name("saving.py")


def killed_while_saving(folder: Path, delay: float) -> int:
    """Let a process save for a while, kill it, and return the last step it told of."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(delay)
    process.kill()
    told = [*first.split(), *process.stdout.read().split()]
    process.stdout.close()
    process.wait(timeout=30)
    assert told, "it saved nothing at all"
    return int(told[-1])


def test_the_last_checkpoint_is_whole_after_kills(tmp_path: Path) -> None:
    moments = random.Random(7)
    for _ in range(KILLS):
        told = killed_while_saving(tmp_path, 0.05 * moments.random())
        last = tf.train.latest_checkpoint(str(tmp_path))
        assert last is not None
        reader = tf.train.load_checkpoint(last)
        step = int(reader.get_tensor("step"))
        # Killed after it was stored and before it told, it may be one ahead.
        assert step in (told, told + 1)
        for name, shape in reader.get_variable_to_shape_map().items():
            assert np.array_equal(reader.get_tensor(name), np.full(shape, step))
    assert len(list(tmp_path.iterdir())) < KILLS + 10  # the three that are kept, and
    # what was begun: at most an unfinished file, or one not removed yet, for each kill
