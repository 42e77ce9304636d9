"""The names under ``tf.contrib.data``."""

from tpuref.data.fused import AUTOTUNE as AUTOTUNE
from tpuref.data.fused import batch_and_drop_remainder as batch_and_drop_remainder
from tpuref.data.fused import map_and_batch as map_and_batch
from tpuref.data.fused import parallel_interleave as parallel_interleave
from tpuref.data.fused import shuffle_and_repeat as shuffle_and_repeat
from tpuref.data.sampling import choose_from_datasets as choose_from_datasets
from tpuref.data.sampling import sample_from_datasets as sample_from_datasets
