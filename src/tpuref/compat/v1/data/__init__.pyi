"""The names under ``tf.compat.v1.data``."""

from tpuref.compat.v1.data import experimental as experimental
from tpuref.data.dataset import Dataset as Dataset
from tpuref.data.fused import AUTOTUNE as AUTOTUNE
from tpuref.data.fused import make_initializable_iterator as make_initializable_iterator
from tpuref.data.fused import make_one_shot_iterator as make_one_shot_iterator
from tpuref.data.iterator import Iterator as Iterator
from tpuref.data.options import Options as Options
from tpuref.data.record_files import FixedLengthRecordDataset as FixedLengthRecordDataset
from tpuref.data.record_files import TFRecordDataset as TFRecordDataset
from tpuref.data.record_files import TextLineDataset as TextLineDataset
