"""A copy of the project to build in, so that builds leave no trace."""

import shutil
from pathlib import Path

import pytest

from ..pythons import python

ROOT = Path(__file__).resolve().parents[2]

PARTS = (
    *("pyproject.toml", "setup.py", "MANIFEST.in", "tox.ini"),
    *("README.md", "CHANGES.md", "CONTRIBUTING.md", "LICENSE"),
    *("src", "conformance", "maintenance"),
)


class Project:
    """A source tree, and how to call its build."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments, **environment):
        settings = {"CC": None, "TPUREF_PURE": None, **environment}
        return python(*arguments, env=settings, cwd=self.folder)

    def build(self, kind, target, **environment):
        """Build a wheel or an sdist as installers do, without their isolation."""
        code = f"from setuptools import build_meta; print(build_meta.build_{kind}"
        done = self.run("-c", f"{code}({str(target)!r}))", **environment)
        assert done.returncode == 0, done.stderr
        return target / done.stdout.splitlines()[-1]


@pytest.fixture(scope="session")
def copy_project():
    """Return a function that makes a copy in a folder."""
    for name, version in (("setuptools", "77"), ("Cython", "3.1")):
        pytest.importorskip(name, minversion=version, reason="builds: tox -e packaging")
    return _copy_project


def _copy_project(folder):
    leftovers = shutil.ignore_patterns("__pycache__", "*.so", "*.c", "*.egg-info")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=leftovers)
        else:
            shutil.copy(ROOT / part, folder / part)
    return Project(folder)


@pytest.fixture
def project(copy_project, tmp_path):
    """Return a copy of its own for the test."""
    folder = tmp_path / "project"
    folder.mkdir()
    return copy_project(folder)
