from tpuref.compat.v1.layers import *
