"""The names that ``tf.io`` has in both releases, with one meaning."""

from tpuref.interface.data.parsing import FixedLenFeature as FixedLenFeature
from tpuref.interface.data.parsing import FixedLenSequenceFeature as FixedLenSequenceFeature
from tpuref.interface.data.parsing import VarLenFeature as VarLenFeature
from tpuref.interface.data.whole_file import read_file as read_file
from tpuref.interface.files.records import TFRecordOptions as TFRecordOptions
from tpuref.interface.files.records import TFRecordWriter as TFRecordWriter
from tpuref.interface.functions.image_files import decode_bmp as decode_bmp
from tpuref.interface.functions.image_files import decode_gif as decode_gif
from tpuref.interface.functions.image_files import decode_image as decode_image
from tpuref.interface.functions.image_files import decode_jpeg as decode_jpeg
from tpuref.interface.functions.image_files import decode_png as decode_png
from tpuref.interface.functions.image_files import encode_jpeg as encode_jpeg
from tpuref.interface.functions.image_files import encode_png as encode_png
