"""The names that ``tf.linalg`` has in both releases, with one meaning."""

from tpuref.interface.functions.clipping import global_norm as global_norm
from tpuref.interface.functions.creation import eye as eye
from tpuref.interface.functions.decompositions import adjoint as adjoint
from tpuref.interface.functions.decompositions import cholesky as cholesky
from tpuref.interface.functions.decompositions import cholesky_solve as cholesky_solve
from tpuref.interface.functions.decompositions import det as det
from tpuref.interface.functions.decompositions import eigh as eigh
from tpuref.interface.functions.decompositions import eigvalsh as eigvalsh
from tpuref.interface.functions.decompositions import inv as inv
from tpuref.interface.functions.decompositions import logdet as logdet
from tpuref.interface.functions.decompositions import lu as lu
from tpuref.interface.functions.decompositions import qr as qr
from tpuref.interface.functions.decompositions import slogdet as slogdet
from tpuref.interface.functions.decompositions import solve as solve
from tpuref.interface.functions.decompositions import svd as svd
from tpuref.interface.functions.decompositions import triangular_solve as triangular_solve
from tpuref.interface.functions.diagonals import matrix_band_part
from tpuref.interface.functions.diagonals import matrix_diag
from tpuref.interface.functions.diagonals import matrix_diag_part
from tpuref.interface.functions.diagonals import tensor_diag as tensor_diag
from tpuref.interface.functions.diagonals import tensor_diag_part as tensor_diag_part
from tpuref.interface.functions.linalg import cross as cross
from tpuref.interface.functions.linalg import einsum as einsum
from tpuref.interface.functions.linalg import matvec as matvec
from tpuref.interface.functions.linalg import tensordot as tensordot
from tpuref.interface.functions.linalg import trace as trace
from tpuref.interface.functions.normalization import l2_normalize as l2_normalize
from tpuref.interface.functions.reshaping import matrix_transpose as matrix_transpose

band_part = matrix_band_part
diag = matrix_diag
diag_part = matrix_diag_part
