from tpuref.compat.v1.profiler import *
