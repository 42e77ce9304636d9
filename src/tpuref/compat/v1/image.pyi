"""The names under ``tf.compat.v1.image``."""

from tpuref.compat.both.image import *
