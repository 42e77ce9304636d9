"""The names under ``tf.contrib.summary``."""

from tpuref.summary.contrib import histogram as histogram
from tpuref.summary.contrib import image as image
from tpuref.summary.contrib import initialize as initialize
from tpuref.summary.contrib import record_summaries_every_n_global_steps as record_summaries_every_n_global_steps
from tpuref.summary.contrib import scalar as scalar
from tpuref.summary.contrib import summary_writer_initializer_op as summary_writer_initializer_op
from tpuref.summary.steps import all_v2_summary_ops
from tpuref.summary.steps import always_record_summaries as always_record_summaries
from tpuref.summary.steps import create_file_writer as create_file_writer
from tpuref.summary.steps import flush as flush
from tpuref.summary.steps import never_record_summaries as never_record_summaries

all_summary_ops = all_v2_summary_ops
