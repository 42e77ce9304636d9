"""The names under ``tf.compat.v1.data``."""

from tpuref.compat.both.data import *
from tpuref.interface.data.fused import make_initializable_iterator as make_initializable_iterator
from tpuref.interface.data.fused import make_one_shot_iterator as make_one_shot_iterator
