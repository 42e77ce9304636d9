"""What builds operations is there, whichever module is imported first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tpuref.graph

SCRIPT = """
import importlib, os, sys
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        importlib.import_module(f"tpuref.graph.{name}")
        from tpuref.graph.convert import constant
        assert (-constant([1, 2]) * 2)[0].op.type == "StridedSlice"
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"after {name} alone, tensors have no operators")
"""


def test_each_module_brings_the_builder_along() -> None:
    modules = [path.stem for path in Path(tpuref.graph.__path__[0]).glob("[!_]*.py")]
    assert "builder" in modules
    done = subprocess.run(
        [sys.executable, "-c", "import numpy\n" + SCRIPT, *modules],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
