"""The names under ``tf.compat.v2.summary.experimental``."""

from tpuref.interface.summary.steps import get_step as get_step
from tpuref.interface.summary.steps import set_step as set_step
from tpuref.interface.summary.steps import summary_scope as summary_scope
