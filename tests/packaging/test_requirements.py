"""What tpuref needs at run time, and which releases of it."""

import re
from pathlib import Path

import pytest

PROJECT = (Path(__file__).parents[2] / "pyproject.toml").read_text()


@pytest.mark.parametrize("name", ["dependencies", "grpc", "gcp", "completion"])
def test_releases_have_both_bounds(name):
    """A major release may change what messages and arrays do: it is tried first."""
    match = re.search(rf"^{name} = \[(.*)\]$", PROJECT, re.MULTILINE)
    assert match is not None
    for requirement in re.findall(r'"([^"]+)"', match[1]):
        assert re.fullmatch(r"[\w-]+>=[\d.]+,<\d+", requirement), requirement
