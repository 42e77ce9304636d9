"""The names under ``tf.compat.v1.python_io``."""

from tpuref.interface.files.records import TFRecordCompressionType as TFRecordCompressionType
from tpuref.interface.files.records import TFRecordOptions as TFRecordOptions
from tpuref.interface.files.records import TFRecordWriter as TFRecordWriter
from tpuref.interface.files.records import tf_record_iterator as tf_record_iterator
