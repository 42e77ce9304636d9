"""What builds operations is registered, whichever module is imported first."""

import pytest

from ..pythons import python

SCRIPT = """
import tpuref.engine.graph.{}
from tpuref.engine.graph.convert import constant
print((-constant([1, 2]) * 2)[0].op.type)
"""


@pytest.mark.parametrize("first", ["builder", "device", "tensor", "numpy_protocol"])
def test_the_first_module_brings_the_builder_along(first):
    done = python("-c", SCRIPT.format(first), check=True)
    assert done.stdout.split() == ["StridedSlice"]
