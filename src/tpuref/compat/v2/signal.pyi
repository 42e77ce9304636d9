"""The names under ``tf.compat.v2.signal``."""

from tpuref.compat.both.signal import *
from tpuref.interface.functions.signal import kaiser_window as kaiser_window
