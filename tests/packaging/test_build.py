"""What is built, and what is said when it cannot be."""

from __future__ import annotations

import tarfile
import zipfile

import pytest

SOURCES = {
    "tpuref/py.typed",
    *(f"tpuref/kernels/cython/{name}.pyx" for name in ("padding", "sharding")),
    *(f"tpuref/kernels/cython/{name}.pyi" for name in ("padding", "sharding")),
    "tpuref/kernels/cython/status.pxd",
    "tpuref/kernels/python/allreduce.py",
}


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize("compiler", ["/nonexistent/cc", "false"])
def test_a_failing_compiler_fails_the_build_and_says_what_to_install(project, compiler):
    done = project.run(
        *("setup.py", "build_ext", "--build-lib", "lib", "--build-temp", "temp"),
        CC=compiler,
    )
    assert done.returncode != 0
    for words in (
        "could not be compiled",
        "apt install gcc python3-dev",
        "dnf install gcc python3-devel",
        "xcode-select --install",
        "Visual Studio Build Tools",
        "TPUREF_PURE=1",
    ):
        assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(project.folder.rglob("*.so"))


def test_a_pure_wheel_needs_no_compiler_and_fits_everywhere(project):
    wheel = project.build("wheel", project.folder, TPUREF_PURE="1", CC="false")
    assert wheel.name.endswith("-py3-none-any.whl")
    names = names_in(wheel)
    assert names >= SOURCES
    assert not [name for name in names if name.endswith((".so", ".pyd", ".c"))]


def test_a_wheel_from_the_sdist_holds_everything(project):
    sdist = project.build("sdist", project.folder)
    unpacked = project.folder / "unpacked"
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (project.folder,) = unpacked.iterdir()
    names = names_in(project.build("wheel", unpacked))
    assert names >= SOURCES
    assert {
        "tpuref_conformance/__init__.py",
        "tpuref_conformance/suite/__init__.py",
    } < (names)
    for kernel in ("padding", "sharding"):
        start = f"tpuref/kernels/cython/{kernel}."
        suffixes = {name.rpartition(".")[2] for name in names if name.startswith(start)}
        assert suffixes & {"so", "pyd"}
        assert "c" not in suffixes


def test_packages_on_disk_are_packages_in_the_wheel(project):
    wheel = project.build("wheel", project.folder, TPUREF_PURE="1")
    names = names_in(wheel)
    for top, package in (
        ("src/tpuref", "tpuref"),
        ("conformance", "tpuref_conformance"),
    ):
        folder = project.folder / top
        modules = {
            f"{package}/{path.relative_to(folder).as_posix()}"
            for path in folder.rglob("*.py")
        }
        assert modules <= names
