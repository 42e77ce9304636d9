"""The names under ``tf.compat.v1.profiler.experimental``."""

from tpuref.interface.profiler.log_folder import Profile as Profile
from tpuref.interface.profiler.log_folder import ProfilerOptions as ProfilerOptions
from tpuref.interface.profiler.log_folder import Trace as Trace
from tpuref.interface.profiler.log_folder import start as start
from tpuref.interface.profiler.log_folder import stop as stop
