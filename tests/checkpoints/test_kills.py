"""Processes that are killed while they save: the last checkpoint is always whole."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import tpuref as tf
from tpuref.interface.checkpoints.stored import write_checkpoint
from tpuref.interface.files.filesystem import UNFINISHED

KILLS = 300 if os.environ.get("TPUREF_SOAK") == "full" else 6
PROGRAM = Path(__file__).with_name("saving.py")


def killed_while_saving(folder, delay):
    """Let a process save for a while, kill it, and return the last step it told of."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(folder)], stdout=subprocess.PIPE, text=True
    )
    first = process.stdout.readline()
    time.sleep(delay)
    process.kill()
    told = [*first.split(), *process.stdout.read().split()]
    process.stdout.close()
    process.wait(timeout=30)
    assert told, "it saved nothing at all"
    return int(told[-1])


def unfinished(folder):
    """Return the files with the tensors that no index names, and partial files."""
    named = {json.loads(path.read_text())["file"] for path in folder.glob("*.index")}
    names = {path.name for path in folder.iterdir()}
    tensors = {name for name in names if name.endswith(".safetensors")}
    return tensors - named | {
        name for name in names - named if UNFINISHED.fullmatch(name)
    }


def test_the_last_checkpoint_is_whole_after_kills(tmp_path):
    moments, left, times = random.Random(7), set[str](), 0
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
        before, left = left, unfinished(tmp_path)
        # The first save removes what the last process left; only the plain name of the
        # tensors may come back.
        assert not [name for name in before & left if UNFINISHED.fullmatch(name)]
        times += bool(left)
    print(f"{KILLS} kills, {times} of them within a save that left something")
    assert times or KILLS < 20
    write_checkpoint(str(tmp_path / "end"), {"step": np.zeros(1)})
    assert not unfinished(tmp_path)
