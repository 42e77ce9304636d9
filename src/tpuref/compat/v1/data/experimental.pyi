"""The names under ``tf.compat.v1.data.experimental``."""

from tpuref.data.fused import AUTOTUNE as AUTOTUNE
from tpuref.data.fused import map_and_batch as map_and_batch
from tpuref.data.fused import parallel_interleave as parallel_interleave
from tpuref.data.fused import shuffle_and_repeat as shuffle_and_repeat
from tpuref.data.options import AutoShardPolicy as AutoShardPolicy
from tpuref.data.options import DistributeOptions as DistributeOptions
from tpuref.data.options import ThreadingOptions as ThreadingOptions
from tpuref.data.sampling import choose_from_datasets as choose_from_datasets
from tpuref.data.sampling import sample_from_datasets as sample_from_datasets
from tpuref.data.single_element import get_single_element as get_single_element
