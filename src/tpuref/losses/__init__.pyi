from tpuref.compat.v1.losses import *
