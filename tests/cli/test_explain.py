"""tpuref explain: codes, and what to do."""

import json

import pytest

from tpuref.tools.cli import colour, main
from tpuref.tools.error_catalogue import ENTRIES


@pytest.mark.parametrize("code", ["E021", "e021", "TPUREF-E021", "[TPUREF-E021]"])
def test_a_code_is_explained(code, capsys):
    assert main(["explain", code]) == 0
    out = capsys.readouterr().out
    assert out.startswith("TPUREF-E021: Something cannot be divided into equal parts\n")
    assert "What to do: Use a size" in out
    assert "The rule is in tf.tpu (TensorFlow 1.15.5)." in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_former_code_shows_the_one_that_replaced_it(capsys):
    assert main(["explain", "E251"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("TPUREF-E021: ") and "mean the same: E022 E068 E163" in out


def test_all_codes_are_listed(capsys):
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for entry in ENTRIES:
        assert f"  {entry.code}  {entry.title}" in lines
    assert "Cores and hosts" in lines


def test_codes_as_json(capsys):
    assert main(["explain", "--json", "W030"]) == 0
    entry = json.loads(capsys.readouterr().out)
    assert entry["code"] == "TPUREF-W030" and "import tpuref" in entry["program"]
    assert main(["explain", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [entry["code"] for entry in entries] == [entry.code for entry in ENTRIES]
    assert all(entry["area"] for entry in entries)


def test_a_code_that_is_none(capsys):
    for code, said, unsaid in (
        ("E0211", "did you mean TPUREF-E021", "\x1b"),
        ("E02", "did you mean TPUREF-E021, TPUREF-E02", "E102"),
        ("sharding", "there is no code 'sharding'; see tpuref explain\n", "did you"),
    ):
        assert main(["explain", code]) == 2
        captured = capsys.readouterr()
        assert said in captured.err and unsaid not in captured.err
        assert captured.err.startswith("tpuref explain: ") and captured.out == ""


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
    terminal, variables, coloured, environment
):
    for name, value in variables.items():
        environment.setenv(name, value)
    environment.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    for function in (colour.bold, colour.alarming):
        assert (function("x") != "x") == coloured
