"""Makes ``pytest conformance`` find the package under its installed name."""

import importlib.util

from .worker import load_package

if importlib.util.find_spec("tpuref_conformance") is None:
    load_package()
