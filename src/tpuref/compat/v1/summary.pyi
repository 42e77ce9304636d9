"""The names under ``tf.compat.v1.summary``."""

from tpuref.summary.contrib import initialize as initialize
from tpuref.summary.event_file import FileWriter as FileWriter
from tpuref.summary.event_file import FileWriterCache as FileWriterCache
from tpuref.summary.messages import Event as Event
from tpuref.summary.messages import Summary as Summary
from tpuref.summary.operations import histogram as histogram
from tpuref.summary.operations import image as image
from tpuref.summary.operations import merge as merge
from tpuref.summary.operations import merge_all as merge_all
from tpuref.summary.operations import scalar as scalar
from tpuref.summary.operations import text as text
from tpuref.summary.steps import all_v2_summary_ops as all_v2_summary_ops
from tpuref.summary.steps import create_file_writer as create_file_writer
from tpuref.summary.steps import create_noop_writer as create_noop_writer
from tpuref.summary.steps import record_if as record_if
