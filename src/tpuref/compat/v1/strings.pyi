"""The names under ``tf.compat.v1.strings``."""

from tpuref.interface.functions.strings import join as join
from tpuref.interface.functions.strings import regex_replace as regex_replace
from tpuref.interface.functions.texts import to_number as to_number
