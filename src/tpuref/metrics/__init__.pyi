from tpuref.compat.v1.metrics import *
