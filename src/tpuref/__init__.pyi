"""What editors see of ``tf``: the names of 1.x, those that only 2.x has, and more."""

from typing import Any

from tpuref import compat as compat
from tpuref import contrib as contrib
from tpuref.compat.v1 import *
from tpuref.compat.v2 import autodiff as autodiff
from tpuref.compat.v2 import lookup as lookup
from tpuref.compat.v2 import ragged as ragged
from tpuref.compat.v2 import raw_ops as raw_ops
from tpuref.compat.v2 import sets as sets
from tpuref.compat.v2 import types as types
from tpuref.base.version import __version__ as __version__
from tpuref.interface.data.ragged import RaggedTensor as RaggedTensor
from tpuref.interface.data.ragged import RaggedTensorSpec as RaggedTensorSpec
from tpuref.interface.data.ragged import SparseTensorSpec as SparseTensorSpec
from tpuref.interface.data.type_specs import OptionalSpec as OptionalSpec
from tpuref.interface.functions.texts import as_string as as_string
from tpuref.tools import as_tensorflow as as_tensorflow
from tpuref.tools import benchmarks as benchmarks
from tpuref.tools import conformance as conformance
from tpuref.tools import testing as testing
from tpuref.tools.tpu_compiler.graphs import compiled_for as compiled_for

__internal__: Any
compiler: Any
core: Any
python: Any
