"""The names under ``tf.compat.v1.keras.optimizers``."""

from tpuref.compat.v1.optimizers import *
