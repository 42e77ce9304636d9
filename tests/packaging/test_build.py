"""What is built, and what is said when it cannot be."""

from .wheels import SOURCES, names_in


def test_a_failing_compiler_fails_the_build_and_says_what_to_install(project):
    for compiler in ("/nonexistent/cc", "false"):
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
    """It has the package, the suite and nothing else."""
    wheel = project.build("wheel", project.folder, TPUREF_PURE="1", CC="false")
    assert wheel.name.endswith("-py3-none-any.whl")
    packed = {name for name in names_in(wheel) if ".dist-info/" not in name}
    assert packed >= SOURCES
    assert not [name for name in packed if name.endswith((".so", ".pyd", ".c"))]
    assert packed == {
        f"{package}/{path.relative_to(project.folder / top).as_posix()}"
        for top, package in (
            ("src/tpuref", "tpuref"),
            ("conformance", "tpuref_conformance"),
        )
        for path in (project.folder / top).rglob("*")
        if path.is_file()
    }
