"""The names under ``tf.compat.v1.app``."""

from tpuref.base.app import run as run
from tpuref.compat.v1 import flags as flags
