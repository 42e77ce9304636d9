"""What is built, and what is said when it cannot be."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest

SOURCES = {
    "tpuref/py.typed",
    *(f"tpuref/kernels/cython/{name}.pyx" for name in ("padding", "sharding")),
    *(f"tpuref/kernels/cython/{name}.pyi" for name in ("padding", "sharding")),
    "tpuref/kernels/cython/status.pxd",
    "tpuref/kernels/python/links.py",
}


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
    command(tmp_path, scripts / "python", "-m", "pip", "install", wheel, **bare)
    doctor = command(tmp_path, scripts / "tpuref", "doctor", "--json", **bare)
    assert json.loads(doctor)["kernels"] == "cython"
    command(
        tmp_path,
        scripts / "tpuref",
        "conformance",
        "--subject",
        "tpuref-lockstep",
        **bare,
    )


def test_the_wheel_has_the_package_and_the_suite_and_nothing_else(project):
    wheel = project.build("wheel", project.folder, TPUREF_PURE="1")
    on_disk = {
        f"{package}/{path.relative_to(project.folder / top).as_posix()}"
        for top, package in (
            ("src/tpuref", "tpuref"),
            ("conformance", "tpuref_conformance"),
        )
        for path in (project.folder / top).rglob("*")
        if path.is_file()
    }
    packed = {name for name in names_in(wheel) if ".dist-info/" not in name}
    assert packed == on_disk
