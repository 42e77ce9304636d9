from tpuref.compat.v1.tpu import *
