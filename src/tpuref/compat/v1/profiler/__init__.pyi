"""The names under ``tf.compat.v1.profiler``."""

from tpuref.compat.v1.profiler import experimental as experimental
from tpuref.profiler.profile import Trace as Trace
from tpuref.profiler.profile import start as start
from tpuref.profiler.profile import stop as stop
from tpuref.profiler.profile import trace as trace
from tpuref.profiler.summary import CoreTime as CoreTime
from tpuref.profiler.summary import OperationTime as OperationTime
from tpuref.profiler.summary import Summary as Summary
