"""The names under ``tf.experimental``."""

from tpuref.functions import dlpack as dlpack
