"""A process that saves one checkpoint after the other until it is killed.

In each of them all elements of all variables are the step, so a mixture shows.
"""

import sys

import numpy as np

from tpuref.interface.checkpoints.kept import KeptCheckpoints
from tpuref.interface.checkpoints.state import (
    get_checkpoint_state,
    update_checkpoint_state,
)
from tpuref.interface.checkpoints.stored import CheckpointReader, write_checkpoint


def main(folder):
    step, kept = 0, KeptCheckpoints("tf.train.Saver", 3, None)
    state = get_checkpoint_state(folder)
    if state is not None:
        kept.recover(state.all_model_checkpoint_paths)
        step = int(CheckpointReader(state.model_checkpoint_path).get_tensor("step"))
    while True:
        step += 1
        arrays = {f"w{k}": np.full((k + 1, 5000), step, np.int64) for k in range(4)}
        # Every other one replaces the one before.
        path = f"{folder}/model-{step // 2}"
        kept.add(path, write_checkpoint(path, {**arrays, "step": np.int64(step)[...]}))
        update_checkpoint_state(folder, path, kept.paths)
        kept.remove_surplus()
        print(step, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
