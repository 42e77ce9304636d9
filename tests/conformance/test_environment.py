"""Environments of the releases: recipes, interpreters, and what is missing."""

from __future__ import annotations

import os
import sys

import pytest
from tpuref_conformance import environment
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


def test_an_environment_is_built_once(places, monkeypatch):
    recipe = places / "some-1.txt"
    recipe.write_text("# python: 3.6\n# tools: pip==21\n# install: some==1\nx==2\n")
    monkeypatch.setattr(environment, "find_interpreter", lambda minor: "python3.6")
    called, said = [], []

    def call(command):
        called.append(command)
        (places / "cache" / "some-1").mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(environment, "_call", call)
    python = build("some==1", said.append)
    assert python == str(places / "cache" / "some-1" / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q"]
    assert called == [
        ["python3.6", "-m", "venv", str(places / "cache" / "some-1")],
        [*install, "pip==21"],
        [*install, "-c", str(recipe), "some==1"],
    ]
    assert build("some==1", said.append) == python
    assert len(called) == 3
    assert "building" in said[0] and "is there" in said[1]


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
