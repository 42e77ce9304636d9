from tpuref.compat.v1.estimator import *
