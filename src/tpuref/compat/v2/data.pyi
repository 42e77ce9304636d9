"""The names under ``tf.compat.v2.data``."""

from tpuref.compat.v1.data import experimental as experimental
from tpuref.data.dataset import Dataset as Dataset
from tpuref.data.fused import AUTOTUNE as AUTOTUNE
from tpuref.data.iterator import Iterator as Iterator
from tpuref.data.options import Options as Options
from tpuref.data.options import ThreadingOptions as ThreadingOptions
from tpuref.data.record_files import FixedLengthRecordDataset as FixedLengthRecordDataset
from tpuref.data.record_files import TFRecordDataset as TFRecordDataset
from tpuref.data.record_files import TextLineDataset as TextLineDataset
