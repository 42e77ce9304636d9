"""The names under ``tf.compat.v2.data``."""

from tpuref.compat.both.data import *
from tpuref.interface.data.options import ThreadingOptions as ThreadingOptions
