"""What editors see of ``tf``: the names of 1.x, those that only 2.x has, and more."""

from typing import Any

from tpuref import compat as compat
from tpuref import contrib as contrib
from tpuref.compat.v1 import *
from tpuref.compat.v2 import autodiff as autodiff
from tpuref.version import __version__ as __version__

compiler: Any
core: Any
python: Any
