"""The names under ``tf.compat.v1.linalg``."""

from tpuref.compat.both.linalg import *
from tpuref.interface.functions.linalg import matmul as matmul
from tpuref.interface.functions.linalg import norm as norm
from tpuref.interface.functions.reshaping import matrix_transpose

transpose = matrix_transpose
