"""The names under ``tf.compat.v1.signal``."""

from tpuref.compat.both.signal import *
