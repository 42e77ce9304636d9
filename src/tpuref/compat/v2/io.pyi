"""The names under ``tf.compat.v2.io``."""

from tpuref.compat.both.io import *
from tpuref.compat.v1.io import gfile as gfile
from tpuref.interface.data.parsing import decode_raw_v2
from tpuref.interface.data.parsing import parse_example_v2
from tpuref.interface.data.parsing import parse_single_example_v2

decode_raw = decode_raw_v2
parse_example = parse_example_v2
parse_single_example = parse_single_example_v2
