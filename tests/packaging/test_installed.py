"""What an installed tpuref says about itself."""

import os
import re
from importlib import metadata

import pytest

from tpuref.kernels import COMPILED


@pytest.fixture
def distribution():
    try:
        return metadata.distribution("tpuref")
    except metadata.PackageNotFoundError:
        pytest.skip("tpuref is on the path but not installed")


def test_license_and_requirements(distribution):
    assert distribution.metadata["License-Expression"] == "Apache-2.0"
    assert distribution.metadata["Requires-Python"] == ">=3.10"
    needed = {line for line in distribution.requires if "extra" not in line}
    names = {re.split("[<>=]", line)[0] for line in needed}
    assert names == {"absl-py", "argcomplete", "ml_dtypes", "numpy", "protobuf"}


def test_the_command_is_installed(distribution):
    (script,) = distribution.entry_points.select(group="console_scripts")
    assert (script.name, script.value) == ("tpuref", "tpuref.tools.cli:main")


def test_kernels_are_compiled_unless_the_package_is_pure(distribution):
    names = [file.name for file in distribution.files if "kernels" in file.parts]
    compiled = [name for name in names if name.endswith((".so", ".pyd"))]
    wanted = os.environ.get("TPUREF_KERNELS", "auto")
    assert (wanted != "cython") or len(compiled) == len(COMPILED)
    assert {"sharding.pyx", "status.pxd"} <= set(names)


def test_the_installed_package_is_the_one_under_test(distribution):
    import tpuref

    (file,) = (
        file for file in distribution.files if file.as_posix() == "tpuref/__init__.py"
    )
    assert tpuref.__file__ == str(distribution.locate_file(file))
