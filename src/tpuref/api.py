"""All public names of tpuref, in one place."""

# ruff: noqa: F403 - a list of names

from __future__ import annotations

from tpuref import compat as compat
from tpuref import contrib as contrib
from tpuref import profiler as profiler
from tpuref.compat.v1 import *
from tpuref.functions import numpy_arrays as numpy_arrays
from tpuref.functions import numpy_math as numpy_math
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces import experimental as experimental
from tpuref.version import __version__ as __version__

_explain_missing(numpy_arrays.__name__, "tf.numpy_arrays")
_explain_missing(numpy_math.__name__, "tf.numpy_math")
