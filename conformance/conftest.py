"""Makes ``pytest conformance`` find the package under its installed name."""

import importlib.util
import os
import sys

_NAME = "tpuref_conformance"

if importlib.util.find_spec(_NAME) is None:
    _HERE = os.path.dirname(os.path.abspath(__file__))
    _SPEC = importlib.util.spec_from_file_location(
        _NAME, os.path.join(_HERE, "__init__.py"), submodule_search_locations=[_HERE]
    )
    _MODULE = importlib.util.module_from_spec(_SPEC)
    sys.modules[_NAME] = _MODULE
    _SPEC.loader.exec_module(_MODULE)
