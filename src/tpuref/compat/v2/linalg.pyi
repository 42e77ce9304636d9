"""The names under ``tf.compat.v2.linalg``."""

from tpuref.functions.clipping import global_norm as global_norm
from tpuref.functions.creation import eye as eye
from tpuref.functions.diagonals import matrix_band_part
from tpuref.functions.diagonals import matrix_diag
from tpuref.functions.diagonals import matrix_diag_part
from tpuref.functions.linalg import einsum as einsum
from tpuref.functions.linalg import matmul_v2
from tpuref.functions.linalg import matvec as matvec
from tpuref.functions.linalg import norm_v2
from tpuref.functions.linalg import tensordot as tensordot
from tpuref.functions.linalg import trace as trace
from tpuref.functions.normalization import l2_normalize as l2_normalize
from tpuref.functions.reshaping import matrix_transpose as matrix_transpose

band_part = matrix_band_part
diag = matrix_diag
diag_part = matrix_diag_part
matmul = matmul_v2
norm = norm_v2
