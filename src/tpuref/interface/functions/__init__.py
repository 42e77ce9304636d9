"""The public functions, by family.

The argument `name`, which most of them take, names the operation in the graph.  The
default is the operation's type, made unique: ``Add``, ``Add_1``, ...
"""

from tpuref.interface.functions import (
    numpy_arrays as numpy_arrays,  # registers NumPy's functions
)
from tpuref.interface.functions import numpy_math as numpy_math
