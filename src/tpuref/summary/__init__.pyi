from tpuref.compat.v1.summary import *
