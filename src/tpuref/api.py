"""All public names of tpuref, in one place."""

# ruff: noqa: F403 - a list of names

from tpuref import compat as compat
from tpuref import contrib as contrib
from tpuref import core as core
from tpuref import profiler as profiler
from tpuref import python as python
from tpuref.compat.v1 import *
from tpuref.namespaces import experimental as experimental
from tpuref.version import __version__ as __version__
