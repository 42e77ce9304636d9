"""The names under ``tf.linalg``."""

# ruff: noqa: F401, F403 - a list of names

from __future__ import annotations

from tpuref.functions.arrays import eye as eye
from tpuref.functions.arrays import matrix_band_part as band_part
from tpuref.functions.arrays import matrix_diag as diag
from tpuref.functions.arrays import matrix_diag_part as diag_part
from tpuref.functions.arrays import matrix_transpose as transpose
from tpuref.functions.linalg import *
