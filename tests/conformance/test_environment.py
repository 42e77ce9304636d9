"""Environments of the releases: recipes, interpreters, and what is missing."""

import os
import sys
import time

import pytest
from tpuref_conformance import environment, main
from tpuref_conformance.catalogue import RELEASES, find_subject
from tpuref_conformance.environment import CannotBuild, build, read_recipe

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def places(monkeypatch, tmp_path):
    """Keep constraints and environments in the temporary directory."""
    monkeypatch.setattr(environment, "CONSTRAINTS", str(tmp_path))
    monkeypatch.setenv("TPUREF_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("version", RELEASES)
def test_every_release_has_constraints_that_pin_all(version):
    recipe = read_recipe(f"tensorflow=={version}")
    assert recipe.name == f"tensorflow-{version}"
    assert recipe.install[0].endswith(f"=={version}")
    with open(recipe.file, encoding="utf-8") as lines:
        pins = [line for line in lines if not line.startswith("#")]
    assert all("==" in pin for pin in pins)
    assert find_subject(f"tensorflow=={version}").version == version


@pytest.fixture
def called(monkeypatch):
    """Return the commands, none of which is run."""
    commands = []

    def call(command, variables, deadline):
        commands.append(command)
        if command[1:3] == ["-m", "venv"]:
            os.makedirs(command[3])

    monkeypatch.setattr(environment, "_call", call)
    monkeypatch.setattr(environment, "find_interpreter", lambda minor: "python3.6")
    monkeypatch.delenv("PIP_NO_CACHE_DIR", raising=False)
    return commands


def test_an_environment_is_built_once(places, called):
    recipe = places / "some-1.txt"
    recipe.write_text("# python: 3.6\n# tools: pip==21\n# install: some==1\nx==2\n")
    said = []
    python = build("some==1", said.append)
    assert python == str(places / "cache" / "some-1" / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", "--no-compile"]
    assert called == [
        ["python3.6", "-m", "venv", str(places / "cache" / "some-1")],
        [*install, "pip==21"],
        [*install, "-c", str(recipe), "some==1"],
    ]
    assert build("some==1", said.append) == python
    assert len(called) == 3
    assert "building" in said[0] and "built in" in said[1] and "is there" in said[2]


def test_other_constraints_are_another_environment(places, called):
    recipe = places / "some-1.txt"
    recipe.write_text("# python: 3.6\n# install: some==1\nx==2\n")
    build("some==1")
    recipe.write_text("# python: 3.6\n# install: some==1\nx==3\n")
    build("some==1")
    assert len(called) == 4


def test_one_that_was_not_finished_is_built_anew(places, called, monkeypatch):
    (places / "some-1.txt").write_text("# python: 3.6\n# install: some==1\n")
    with monkeypatch.context() as patch:
        patch.setattr(environment, "_install", unreachable)
        with pytest.raises(CannotBuild, match="no network"):
            build("some==1")
    build("some==1")
    assert len(called) == 2


def unreachable(recipe, base, directory, deadline):
    os.makedirs(directory)
    raise CannotBuild("no network")


def test_an_old_pip_is_told_by_an_option_to_do_without_a_cache(
    places, called, monkeypatch
):
    (places / "some-1.txt").write_text("# python: 3.6\n# install: some==1\n")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    build("some==1")
    assert "--no-cache-dir" in called[1]


def test_what_takes_too_long_is_given_up():
    script = "import time; time.sleep(600)"
    start = time.monotonic()
    with pytest.raises(CannotBuild, match="took too long"):
        environment._call([sys.executable, "-c", script], None, start + 0.5)
    assert time.monotonic() - start < 300


def test_the_command_goes_on_after_one_that_cannot_be_built(places, called, capsys):
    (places / "some-1.txt").write_text("# python: 3.6\n# install: some==1\n")
    assert main(["env", "other==1", "some==1", "--within", "60"]) == 2
    printed = capsys.readouterr()
    assert "no constraints for other==1" in printed.err
    assert str(places / "cache" / "some-1" / "bin" / "python") in printed.out


def test_a_missing_interpreter_is_named(places):
    (places / "old-1.txt").write_text("# python: 2.3 2.2\n# install: pip\n")
    with pytest.raises(CannotBuild, match="old-1 needs Python 2.3 or 2.2"):
        build("old==1")


def test_what_a_failing_command_says_is_passed_on():
    script = "print('nowhere is no requirement'); raise SystemExit(1)"
    with pytest.raises(CannotBuild, match="nowhere is no requirement"):
        environment._call([sys.executable, "-c", script])


def test_interpreters_of_pyenv_and_of_the_path_are_found(monkeypatch, tmp_path):
    bin_directory = tmp_path / "versions" / "x" / "bin"
    bin_directory.mkdir(parents=True)
    os.symlink(sys.executable, bin_directory / "python")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert environment.find_interpreter(VERSION) == str(bin_directory / "python")
    assert environment.find_interpreter("1.4") is None
