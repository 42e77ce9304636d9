"""The names under ``tf.compat.v2.summary``."""

from tpuref.summary.steps import SummaryWriter as SummaryWriter
from tpuref.summary.steps import create_file_writer as create_file_writer
from tpuref.summary.steps import create_noop_writer as create_noop_writer
from tpuref.summary.steps import flush as flush
from tpuref.summary.steps import histogram as histogram
from tpuref.summary.steps import image as image
from tpuref.summary.steps import record_if as record_if
from tpuref.summary.steps import scalar as scalar
from tpuref.summary.steps import text as text
