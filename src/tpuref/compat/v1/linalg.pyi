"""The names under ``tf.compat.v1.linalg``."""

from tpuref.functions.clipping import global_norm as global_norm
from tpuref.functions.creation import eye as eye
from tpuref.functions.diagonals import matrix_band_part
from tpuref.functions.diagonals import matrix_diag
from tpuref.functions.diagonals import matrix_diag_part
from tpuref.functions.linalg import einsum as einsum
from tpuref.functions.linalg import matmul as matmul
from tpuref.functions.linalg import matvec as matvec
from tpuref.functions.linalg import norm as norm
from tpuref.functions.linalg import tensordot as tensordot
from tpuref.functions.linalg import trace as trace
from tpuref.functions.normalization import l2_normalize as l2_normalize
from tpuref.functions.reshaping import matrix_transpose as matrix_transpose

band_part = matrix_band_part
diag = matrix_diag
diag_part = matrix_diag_part
transpose = matrix_transpose
