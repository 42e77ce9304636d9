"""The names under ``tf.compat.v1.distribute``."""

from tpuref.compat.both.distribute import *
