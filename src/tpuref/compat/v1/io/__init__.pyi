"""The names under ``tf.compat.v1.io``."""

from tpuref.compat.both.io import *
from tpuref.compat.v1.io import gfile as gfile
from tpuref.interface.data.parsing import decode_raw as decode_raw
from tpuref.interface.data.parsing import parse_example as parse_example
from tpuref.interface.data.parsing import parse_single_example as parse_single_example
from tpuref.interface.files.records import TFRecordCompressionType as TFRecordCompressionType
from tpuref.interface.files.records import tf_record_iterator as tf_record_iterator
