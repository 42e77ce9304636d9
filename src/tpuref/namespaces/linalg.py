"""The names under ``tf.linalg``."""

# ruff: noqa: F401, F403 - a list of names

from tpuref.functions.creation import eye as eye
from tpuref.functions.diagonals import matrix_band_part as band_part
from tpuref.functions.diagonals import matrix_diag as diag
from tpuref.functions.diagonals import matrix_diag_part as diag_part
from tpuref.functions.linalg import *
from tpuref.functions.reshaping import matrix_transpose as transpose
from tpuref.missing.namespaces import explain_missing as _explain_missing

_explain_missing(__name__, "tf.linalg")
