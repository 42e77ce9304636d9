"""tpuref explain: codes, and what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tpuref.tools.cli import colour, main
from tpuref.tools.error_catalogue import ENTRIES


@pytest.mark.parametrize("code", ["E021", "e021", "TPUREF-E021", "[TPUREF-E021]"])
def test_a_code_is_explained(code: str, capsys: Any) -> None:
    assert main(["explain", code]) == 0
    out = capsys.readouterr().out
    assert out.startswith("TPUREF-E021: Something cannot be divided into equal parts\n")
    assert "What to do: Use a size" in out
    assert "The rule is in tf.tpu (TensorFlow 1.15.5)." in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_program_is_shown(capsys: Any) -> None:
    assert main(["explain", "E023"]) == 0
    assert "\n    with strategy.scope():\n" in capsys.readouterr().out


def test_a_former_code_shows_the_one_that_replaced_it(capsys: Any) -> None:
    assert main(["explain", "E251"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("TPUREF-E021: ") and "mean the same: E068 E251 E262." in out


def test_all_codes_are_listed(capsys: Any) -> None:
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for entry in ENTRIES:
        assert f"  {entry.code}  {entry.title}" in lines
    assert "Cores and hosts" in lines


def test_a_code_as_json(capsys: Any) -> None:
    assert main(["explain", "--json", "W030"]) == 0
    entry = json.loads(capsys.readouterr().out)
    assert entry["code"] == "TPUREF-W030" and "import tpuref" in entry["program"]


def test_all_codes_as_json(capsys: Any) -> None:
    assert main(["explain", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [entry["code"] for entry in entries] == [entry.code for entry in ENTRIES]
    assert all(entry["area"] for entry in entries)


def test_a_code_that_is_almost_one(capsys: Any) -> None:
    assert main(["explain", "E0211"]) == 2
    captured = capsys.readouterr()
    assert "did you mean" in captured.err and "TPUREF-E021" in captured.err
    assert captured.err.startswith("tpuref explain: ") and captured.out == ""


def test_a_code_that_is_none(capsys: Any) -> None:
    assert main(["explain", "sharding"]) == 2
    assert capsys.readouterr().err == (
        "tpuref explain: there is no code 'sharding'; see tpuref explain\n"
    )


# -- colours -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terminal", "variables", "coloured"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    terminal: bool, variables: dict[str, str], coloured: bool, environment: Any
) -> None:
    for name, value in variables.items():
        environment.setenv(name, value)
    environment.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    assert (colour.bold("x") != "x") == coloured
    assert (colour.alarming("x") != "x") == coloured


def test_the_beginning_of_codes_suggests_them(capsys: Any) -> None:
    assert main(["explain", "E02"]) == 2
    suggested = capsys.readouterr().err
    assert "did you mean TPUREF-E021, TPUREF-E022" in suggested
    assert "E102" not in suggested
