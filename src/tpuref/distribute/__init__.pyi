from tpuref.compat.v1.distribute import *
