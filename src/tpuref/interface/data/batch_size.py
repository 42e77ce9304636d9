"""The batch size of a dataset, where it is static."""

from typing import Any

import numpy as np

from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.data.batching import Batch, PaddedBatch
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.data.sources import static_number


def compute_batch_size(dataset: Dataset) -> Tensor:
    """Return the size of whole batches, int64, or -1 if it is unknown."""
    stage: Any = dataset.stage
    while stage is not None:
        if isinstance(stage, (Batch, PaddedBatch)):
            size = static_number(stage._size)
            return convert_to_tensor(np.int64(-1 if size is None else size))
        stage = getattr(stage, "_source", None) or getattr(stage, "source", None)
    return convert_to_tensor(np.int64(-1))
