"""The names under ``tf.compat.v2.linalg``."""

from tpuref.compat.both.linalg import *
from tpuref.interface.functions.decompositions import eig as eig
from tpuref.interface.functions.decompositions import matrix_rank as matrix_rank
from tpuref.interface.functions.decompositions import pinv as pinv
from tpuref.interface.functions.linalg import matmul_v2
from tpuref.interface.functions.linalg import norm_v2

matmul = matmul_v2
norm = norm_v2
