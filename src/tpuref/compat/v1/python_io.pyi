"""The names under ``tf.compat.v1.python_io``."""

from tpuref.files.records import TFRecordCompressionType as TFRecordCompressionType
from tpuref.files.records import TFRecordOptions as TFRecordOptions
from tpuref.files.records import TFRecordWriter as TFRecordWriter
from tpuref.files.records import tf_record_iterator as tf_record_iterator
