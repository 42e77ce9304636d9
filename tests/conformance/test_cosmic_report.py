"""The judgements on survivors, the figures, and the command that prints them."""

from __future__ import annotations

import importlib.util
import json

import pytest
from tpuref_conformance import main
from tpuref_conformance.mutants import cosmic_process
from tpuref_conformance.mutants.cosmic_report import CosmicReport
from tpuref_conformance.mutants.survivors import judged

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
def worker(monkeypatch, tmp_path):
    """Return a function that puts lines in the place of the hunt's, with a status."""

    def put(lines, status=0):
        script = tmp_path / "worker.py"
        script.write_text(
            "import os, sys\n"
            f"os.write(int(sys.argv[1]), {''.join(lines)!r}.encode())\n"
            f"sys.exit({status})\n",
            encoding="utf-8",
        )
        monkeypatch.setattr(cosmic_process, "_WORKER", str(script))

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: name == "cosmic_ray" or found(name)
    )
    monkeypatch.setattr(cosmic_process, "judged", dict)
    return put


def written(*verdicts):
    return [json.dumps(one) + "\n" for one in (["tpuref.tpu.cores"], *verdicts)]


def test_the_command_prints_and_writes_the_figures(worker, tmp_path, capsys):
    worker(written(verdict("killed")))
    path = tmp_path / "figures.json"
    assert main(["mutants", "--cosmic-ray", "cores", "--json", str(path)]) == 0
    assert "100.0%" in capsys.readouterr().out
    figures = json.loads(path.read_text(encoding="utf-8"))
    assert figures["passed"] is True and figures["modules"][0]["killed"] == 1


def test_the_command_fails_for_a_survivor(worker, capsys):
    worker(written(*[verdict("killed")] * 9, verdict("survived")))
    assert main(["mutants", "--cosmic-ray"]) == 1
    told = capsys.readouterr().out
    assert "survives and is not judged: tpuref.tpu.cores:7 (core/AddNot)" in told
    assert "  - `a`\n    `b`\n" in told


@pytest.mark.parametrize(
    ("lines", "status", "message"),
    [
        (["[]\n"], 0, "no module has such a name"),
        (written(verdict("killed")), 3, "the hunt ended with status 3"),
        ([], 1, "the hunt ended with status 1"),
    ],
)
def test_a_hunt_that_cannot_be_finished(worker, capsys, lines, status, message):
    worker(lines, status)
    assert main(["mutants", "--cosmic-ray", "nothing"]) == 2
    assert message in capsys.readouterr().err


def test_without_cosmic_ray_the_command_says_what_to_install(monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "cosmic_ray" else found(name),
    )
    assert main(["mutants", "--cosmic-ray"]) == 2
    assert "pip install 'tpuref[mutation]'" in capsys.readouterr().err


def test_the_figures_are_cosmic_rays_only(capsys):
    with pytest.raises(SystemExit):
        main(["mutants", "--json", "figures.json"])
    assert "--json is for --cosmic-ray" in capsys.readouterr().err
