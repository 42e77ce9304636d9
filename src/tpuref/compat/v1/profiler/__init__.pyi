"""The names under ``tf.compat.v1.profiler``."""

from tpuref.compat.v1.profiler import experimental as experimental
from tpuref.interface.profiler.profile import Trace as Trace
from tpuref.interface.profiler.profile import start as start
from tpuref.interface.profiler.profile import stop as stop
from tpuref.interface.profiler.profile import trace as trace
from tpuref.interface.profiler.summary import CoreTime as CoreTime
from tpuref.interface.profiler.summary import OperationTime as OperationTime
from tpuref.interface.profiler.summary import Summary as Summary
