from tpuref.compat.v1.optimizers import *
