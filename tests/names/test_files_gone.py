"""A package of which files are gone says so, instead of asking itself for them."""

import os
import shutil
from pathlib import Path

import pytest

import tpuref as tf

from ..pythons import python

ASK = """
try:
    import tpuref.name_that_no_release_has
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize("gone", ["names/namespace.py", "base/errors.py"])
def test_a_file_that_is_gone_is_named(gone, tmp_path):
    package = Path(tf.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(
        package, tmp_path / "tpuref", ignore=ignored, copy_function=os.symlink
    )
    (tmp_path / "tpuref" / gone).unlink()
    asked = python("-c", ASK, env={"PYTHONPATH": str(tmp_path)})
    name = "tpuref." + gone.removesuffix(".py").replace("/", ".")
    expected = f"{name} is gone from the installed package; install tpuref again"
    assert asked.stdout.splitlines() == [expected], asked.stderr[-2000:]
