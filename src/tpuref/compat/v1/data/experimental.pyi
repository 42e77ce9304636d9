"""The names under ``tf.compat.v1.data.experimental``."""

from tpuref.interface.data.fused import AUTOTUNE as AUTOTUNE
from tpuref.interface.data.fused import enumerate_dataset as enumerate_dataset
from tpuref.interface.data.fused import map_and_batch as map_and_batch
from tpuref.interface.data.fused import parallel_interleave as parallel_interleave
from tpuref.interface.data.fused import shuffle_and_repeat as shuffle_and_repeat
from tpuref.interface.data.fused import unbatch as unbatch
from tpuref.interface.data.options import AutoShardPolicy as AutoShardPolicy
from tpuref.interface.data.options import DistributeOptions as DistributeOptions
from tpuref.interface.data.options import ExternalStatePolicy as ExternalStatePolicy
from tpuref.interface.data.options import OptimizationOptions as OptimizationOptions
from tpuref.interface.data.options import ThreadingOptions as ThreadingOptions
from tpuref.interface.data.sampling import choose_from_datasets as choose_from_datasets
from tpuref.interface.data.sampling import sample_from_datasets as sample_from_datasets
from tpuref.interface.data.single_element import get_single_element as get_single_element

map_and_batch_with_legacy_function = map_and_batch
