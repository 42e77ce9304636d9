"""The names under ``tf.compat.v1.io``."""

from tpuref.compat.v1.io import gfile as gfile
from tpuref.interface.data.parsing import FixedLenFeature as FixedLenFeature
from tpuref.interface.data.parsing import FixedLenSequenceFeature as FixedLenSequenceFeature
from tpuref.interface.data.parsing import VarLenFeature as VarLenFeature
from tpuref.interface.data.parsing import decode_raw as decode_raw
from tpuref.interface.data.parsing import parse_example as parse_example
from tpuref.interface.data.parsing import parse_single_example as parse_single_example
from tpuref.interface.data.whole_file import read_file as read_file
from tpuref.interface.files.records import TFRecordCompressionType as TFRecordCompressionType
from tpuref.interface.files.records import TFRecordOptions as TFRecordOptions
from tpuref.interface.files.records import TFRecordWriter as TFRecordWriter
from tpuref.interface.files.records import tf_record_iterator as tf_record_iterator
from tpuref.interface.functions.image_files import decode_bmp as decode_bmp
from tpuref.interface.functions.image_files import decode_gif as decode_gif
from tpuref.interface.functions.image_files import decode_image as decode_image
from tpuref.interface.functions.image_files import decode_jpeg as decode_jpeg
from tpuref.interface.functions.image_files import decode_png as decode_png
from tpuref.interface.functions.image_files import encode_jpeg as encode_jpeg
from tpuref.interface.functions.image_files import encode_png as encode_png
