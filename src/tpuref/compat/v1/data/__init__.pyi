"""The names under ``tf.compat.v1.data``."""

from tpuref.compat.v1.data import experimental as experimental
from tpuref.interface.data.dataset import Dataset as Dataset
from tpuref.interface.data.fused import AUTOTUNE as AUTOTUNE
from tpuref.interface.data.fused import make_initializable_iterator as make_initializable_iterator
from tpuref.interface.data.fused import make_one_shot_iterator as make_one_shot_iterator
from tpuref.interface.data.iterator import Iterator as Iterator
from tpuref.interface.data.options import Options as Options
from tpuref.interface.data.record_files import FixedLengthRecordDataset as FixedLengthRecordDataset
from tpuref.interface.data.record_files import TFRecordDataset as TFRecordDataset
from tpuref.interface.data.record_files import TextLineDataset as TextLineDataset
