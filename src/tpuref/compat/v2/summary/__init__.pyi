"""The names under ``tf.compat.v2.summary``."""

from tpuref.compat.v2.summary import experimental as experimental
from tpuref.interface.summary.steps import SummaryWriter as SummaryWriter
from tpuref.interface.summary.steps import create_file_writer as create_file_writer
from tpuref.interface.summary.steps import create_noop_writer as create_noop_writer
from tpuref.interface.summary.steps import flush as flush
from tpuref.interface.summary.steps import graph as graph
from tpuref.interface.summary.steps import histogram as histogram
from tpuref.interface.summary.steps import image as image
from tpuref.interface.summary.steps import record_if as record_if
from tpuref.interface.summary.steps import scalar as scalar
from tpuref.interface.summary.steps import should_record_summaries as should_record_summaries
from tpuref.interface.summary.steps import text as text
from tpuref.interface.summary.steps import write as write
