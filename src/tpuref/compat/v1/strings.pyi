"""The names under ``tf.compat.v1.strings``."""

from tpuref.functions.strings import join as join
from tpuref.functions.strings import regex_replace as regex_replace
