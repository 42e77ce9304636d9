"""The names that ``tf.data`` has in both releases, with one meaning."""

from tpuref.compat.v1.data import experimental as experimental
from tpuref.interface.data.dataset import Dataset as Dataset
from tpuref.interface.data.fused import AUTOTUNE as AUTOTUNE
from tpuref.interface.data.iterator import Iterator as Iterator
from tpuref.interface.data.options import Options as Options
from tpuref.interface.data.record_files import FixedLengthRecordDataset as FixedLengthRecordDataset
from tpuref.interface.data.record_files import TFRecordDataset as TFRecordDataset
from tpuref.interface.data.record_files import TextLineDataset as TextLineDataset
