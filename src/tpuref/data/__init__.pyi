from tpuref.compat.v1.data import *
