"""Makes the suite importable from a checkout in which it is not installed."""

import importlib.util
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "conformance"

if importlib.util.find_spec("tpuref_conformance") is None:
    spec = importlib.util.spec_from_file_location(
        "tpuref_conformance",
        PACKAGE / "__init__.py",
        submodule_search_locations=[str(PACKAGE)],
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tpuref_conformance"] = module
    spec.loader.exec_module(module)
