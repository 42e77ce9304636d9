"""The judgements on survivors, the figures, and the command that prints them."""

from __future__ import annotations

import importlib.util
import json

import pytest

from maintenance.cosmic_ray import __main__ as command
from maintenance.cosmic_ray.report import CosmicReport
from maintenance.cosmic_ray.survivors import judged

FILE = """\
# Survivors

## tpuref.tpu.cores

### It is the same: nobody can tell.

- `return 1`
  `return 1 | 0`
- `if a is b:`
  `if a == b:`

### Only the time changes.

- `LIMIT = 3`
  `LIMIT = 4`
"""


def verdict(state, before="a", after="b", module="tpuref.tpu.cores"):
    return {
        "module": module,
        "line": 7,
        "operator": "core/AddNot",
        "state": state,
        "by": "",
        "before": before,
        "after": after,
    }


# ------------------------------------------------------------------ judgements


def test_judgements_are_read(tmp_path):
    (tmp_path / "tpu.md").write_text(FILE, encoding="utf-8")
    same, slow = "It is the same: nobody can tell.", "Only the time changes."
    assert judged(str(tmp_path)) == {
        ("tpuref.tpu.cores", "return 1", "return 1 | 0"): same,
        ("tpuref.tpu.cores", "if a is b:", "if a == b:"): same,
        ("tpuref.tpu.cores", "LIMIT = 3", "LIMIT = 4"): slow,
    }


def test_nothing_is_judged_where_there_is_no_directory(tmp_path):
    assert judged(str(tmp_path / "none")) == {}


@pytest.mark.parametrize(
    "text",
    [
        "## a.b\n- `x`\n  `y`\n",
        "### why\n- `x`\n  `y`\n",
        "## a.b\n### why\n  `y`\n",
        "## a.b\n### why\n- `x`\n  `y`\n## a.c\n- `x`\n  `y`\n",
    ],
)
def test_a_change_needs_a_module_a_reason_and_a_line(tmp_path, text):
    (tmp_path / "tpu.md").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"tpu.md:\d+: a change without"):
        judged(str(tmp_path))


def test_a_change_is_judged_once(tmp_path):
    (tmp_path / "tpu.md").write_text(FILE + FILE, encoding="utf-8")
    with pytest.raises(ValueError, match="judged twice"):
        judged(str(tmp_path))


def test_the_judgements_of_the_repository_can_be_read():
    assert all(reason for reason in judged().values())


# ------------------------------------------------------------------ figures


def test_figures_of_modules_and_packages():
    reasons = {("tpuref.tpu.cores", "a", "b"): "why"}
    verdicts = [verdict("killed")] * 17 + [verdict("survived"), verdict("no program")]
    verdicts += [verdict("survived", "c"), verdict("killed", "d")]
    report = CosmicReport(["tpuref.tpu.cores", "tpuref.tpu.empty"], verdicts, reasons)
    cores, empty = report.modules
    assert (cores.valid, cores.killed, cores.judged, cores.unjudged) == (20, 18, 1, 1)
    assert (empty.valid, empty.enough) == (0, True)
    (package,) = report.packages
    assert (package.name, package.valid, package.enough) == ("tpuref.tpu", 20, True)
    assert not report.passed and [one["before"] for one in report.unjudged] == ["c"]
    table = [line.split() for line in report.lines()]
    assert ["tpuref.tpu", "20", "18", "90.0%", "1", "1"] in table
    assert ["cores", "20", "18", "90.0%", "1", "1"] in table


@pytest.mark.parametrize(("killed", "passed"), [(16, False), (17, True)])
def test_enough_have_to_be_killed(killed, passed):
    verdicts = [verdict("killed")] * killed + [verdict("survived")] * (20 - killed)
    reasons = {("tpuref.tpu.cores", "a", "b"): "why"}
    report = CosmicReport(["tpuref.tpu.cores"], verdicts, reasons)
    assert report.passed is passed
    assert ("tpuref.tpu: less than 85% are killed" in report.lines()) is not passed


def test_a_judgement_on_what_does_not_survive_is_stale():
    reasons = {
        ("tpuref.tpu.cores", "a", "b"): "why",
        ("tpuref.tpu.other", "a", "b"): "of a module that was not changed",
    }
    report = CosmicReport(["tpuref.tpu.cores"], [verdict("killed")], reasons)
    assert report.stale == [("tpuref.tpu.cores", "a", "b")]
    assert not report.passed
    assert "is judged but does not survive: tpuref.tpu.cores" in report.lines()


# ------------------------------------------------------------------ the command


@pytest.fixture
def found(monkeypatch):
    """Return a function that puts verdicts in place of a hunt's."""

    def put(*verdicts):
        report = CosmicReport(["tpuref.tpu.cores"], verdicts, {})
        monkeypatch.setattr(command, "hunted", lambda parts: report)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    return put


def test_the_command_prints_and_writes_the_figures(found, tmp_path, capsys):
    found(verdict("killed"))
    path = tmp_path / "figures.json"
    assert command.main(["cores", "--json", str(path)]) == 0
    assert "100.0%" in capsys.readouterr().out
    figures = json.loads(path.read_text(encoding="utf-8"))
    assert figures["passed"] is True and figures["modules"][0]["killed"] == 1


def test_the_command_fails_for_a_survivor(found, capsys):
    found(*[verdict("killed")] * 9, verdict("survived"))
    assert command.main([]) == 1
    told = capsys.readouterr().out
    assert "survives and is not judged: tpuref.tpu.cores:7 (core/AddNot)" in told
    assert "  - `a`\n    `b`\n" in told


def test_a_part_of_no_name_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(command, "hunted", lambda parts: CosmicReport([], [], {}))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert command.main(["nothing"]) == 2
    assert "no module has such a name" in capsys.readouterr().err


def test_without_cosmic_ray_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert command.main([]) == 2
    assert "pip install 'tpuref[mutation]'" in capsys.readouterr().err
