"""What builds operations is registered, whichever module is imported first."""

import subprocess
import sys

import pytest

SCRIPT = """
import tpuref.engine.graph.{}
from tpuref.engine.graph.convert import constant
print((-constant([1, 2]) * 2)[0].op.type)
"""


@pytest.mark.parametrize("first", ["builder", "device", "tensor", "numpy_protocol"])
def test_the_first_module_brings_the_builder_along(first):
    command = [sys.executable, "-c", SCRIPT.format(first)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert done.stdout.split() == [b"StridedSlice"]
