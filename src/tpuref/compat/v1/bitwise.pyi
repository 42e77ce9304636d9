"""The names under ``tf.compat.v1.bitwise``."""

from tpuref.interface.functions.bitwise import bitwise_and as bitwise_and
from tpuref.interface.functions.bitwise import bitwise_or as bitwise_or
from tpuref.interface.functions.bitwise import bitwise_xor as bitwise_xor
from tpuref.interface.functions.bitwise import invert as invert
from tpuref.interface.functions.bitwise import left_shift as left_shift
from tpuref.interface.functions.bitwise import right_shift as right_shift
