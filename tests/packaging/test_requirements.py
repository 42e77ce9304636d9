"""What tpuref needs at run time, and which releases of it."""

import re
from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib")  # of Python 3.11

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
NEEDED = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]


@pytest.mark.parametrize("requirement", [*NEEDED, *EXTRAS["cloud"], *EXTRAS["xla"]])
def test_releases_have_both_bounds(requirement):
    """A major release may change what messages and arrays do: it is tried first."""
    if requirement.startswith("fsspec"):  # its releases are dates
        return
    assert re.match(r"[\w-]+>=[\d.]+,<[\d.]+(;|$)", requirement), requirement
