"""The names under ``tf.compat.v1.summary``."""

from tpuref.interface.summary.contrib import initialize as initialize
from tpuref.interface.summary.event_file import FileWriter as FileWriter
from tpuref.interface.summary.event_file import FileWriterCache as FileWriterCache
from tpuref.interface.summary.messages import Event as Event
from tpuref.interface.summary.messages import Summary as Summary
from tpuref.interface.summary.operations import histogram as histogram
from tpuref.interface.summary.operations import image as image
from tpuref.interface.summary.operations import merge as merge
from tpuref.interface.summary.operations import merge_all as merge_all
from tpuref.interface.summary.operations import scalar as scalar
from tpuref.interface.summary.operations import text as text
from tpuref.interface.summary.steps import all_v2_summary_ops as all_v2_summary_ops
from tpuref.interface.summary.steps import create_file_writer as create_file_writer
from tpuref.interface.summary.steps import create_noop_writer as create_noop_writer
from tpuref.interface.summary.steps import record_if as record_if
