"""The wheel with compiled kernels, built from the sdist, here and on other systems."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest

from .wheels import SOURCES, names_in


@pytest.fixture(scope="module")
def compiled_wheel(copy_project, tmp_path_factory):
    """The wheel that the sdist gives."""
    project = copy_project(tmp_path_factory.mktemp("sdist"))
    sdist = project.build("sdist", project.folder)
    unpacked = project.folder / "unpacked"
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (project.folder,) = unpacked.iterdir()
    return project.build("wheel", unpacked)


def command(folder, *arguments, **environment):
    """Run it in the folder, with these variables changed; return what it prints."""
    done = subprocess.run(
        list(map(str, arguments)),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": "", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_wheel_from_the_sdist_holds_everything(compiled_wheel):
    names = names_in(compiled_wheel)
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


def test_the_kernels_carry_no_symbols(compiled_wheel):
    with zipfile.ZipFile(compiled_wheel) as archive:
        sizes = [f.file_size for f in archive.infolist() if ".so" in f.filename]
    assert 0 < sum(sizes) < 3 << 20


def test_a_manylinux_wheel_needs_no_compiler(compiled_wheel, tmp_path):
    pytest.importorskip("auditwheel", reason="repairs wheels: tox -e packaging")
    repair = (sys.executable, "-m", "auditwheel", "repair", compiled_wheel)
    command(tmp_path, *repair, "-w", "manylinux")
    (wheel,) = (tmp_path / "manylinux").iterdir()
    assert "manylinux_2_17" in wheel.name
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / "bin"
    bare = {"PATH": str(scripts), "PIP_ONLY_BINARY": ":all:"}
    install = ("-m", "pip", "install", "--no-compile", wheel)
    command(tmp_path, scripts / "python", *install, **bare)
    doctor = command(tmp_path, scripts / "tpuref", "doctor", "--json", **bare)
    assert json.loads(doctor)["kernels"] == "cython"
    smoke = ("conformance", "--smoke", "--subject", "tpuref-pool-cython")
    command(tmp_path, scripts / "tpuref", *smoke, **bare)
