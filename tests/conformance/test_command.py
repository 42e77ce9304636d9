"""The command: what it selects, writes and returns."""

import _thread
import importlib
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tpuref_conformance import command, main
from tpuref_conformance.catalogue import Subject
from tpuref_conformance.suite import load_clauses

FAKES = Path(__file__).parent / "fakes"


@pytest.fixture
def tiny(monkeypatch):
    """Use the tiny suite and the fake subjects instead of the real ones."""
    monkeypatch.syspath_prepend(str(FAKES))
    suite = importlib.import_module("tiny_suite")
    monkeypatch.setattr(command, "load_clauses", suite.load_clauses)
    monkeypatch.setattr(command, "find_subject", find_fake)


def find_fake(name):
    settings = {"PYTHONPATH": str(FAKES)}
    return Subject(name, name, sys.executable, settings, suite="tiny_suite")


def test_one_run_and_all_that_it_writes(tiny, capsys, tmp_path):
    arguments = ["--subject", "right", "--subject", "wrong"]
    for kind in ("json", "junit", "html", "markdown"):
        arguments += [f"--{kind}", str(tmp_path / kind)]
    assert main(arguments) == 1
    text = capsys.readouterr().out
    assert "right: right 1.2" in text
    rows = [line.split() for line in text.splitlines() if line.startswith("tf.")]
    assert rows == [["tf.double", "2", "1", "1F"], ["tf.half", "2", "1", "1E"]]
    assert ["stated", "by", "documents", "4", "2", "1F", "1E"] in map(
        str.split, text.splitlines()
    )
    assert text.splitlines()[-4:] == [
        "wrong: fail: tf.double/returns/twice: double(2): expected 4, got 2",
        "wrong: error: tf.half/returns/half: RuntimeError: too small",
        "",
        "--verbose explains each failure and shows how to reproduce it",
    ]
    assert json.loads((tmp_path / "json").read_text())["footer"] == {"results": 8}
    suites = ElementTree.parse(tmp_path / "junit").getroot()
    counts = [(s.get("name"), s.get("failures"), s.get("errors")) for s in suites]
    assert counts == [("right", "0", "0"), ("wrong", "1", "1")]
    markdown = (tmp_path / "markdown").read_text()
    assert "| `tf.double` | 2 | 1 1F |" in markdown
    (script, *_) = markdown.partition("## `tf.half/")[2].split("```")[1:2]
    assert script.startswith("python\n# tf.half") and "import wrong as tf" in script
    page = (tmp_path / "html").read_text()
    assert "RuntimeError: too small" in page and "<script" not in page
    assert "http" not in page and "src=" not in page and "@import" not in page


def test_a_run_without_failures(tiny, capsys):
    assert main(["--subject", "right"]) == 0
    assert "--verbose" not in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--verbose", "-v"])
def test_all_about_a_failure_on_request(tiny, capsys, option):
    main(["--subject", "wrong", option])
    text = capsys.readouterr().out
    assert "  according to 000.txt: Doubles." in text
    assert "got: double(2): expected 4, got 2" in text
    assert text.count(f"reproduction, for {sys.executable}:") == 2
    assert text.count("import wrong as tf") == 2


def test_a_missing_name_is_one_line(tiny, capsys):
    assert main(["--subject", "empty"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "absent:" in line] == [
        "empty: absent: there is no tf.double (2 clauses)",
        "empty: absent: there is no tf.half (2 clauses)",
    ]


def test_a_module_that_cannot_be_imported_is_one_line(capsys):
    assert main(["--module", "no_such_module", "--api", "tf.tpu"]) == 2
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "no_such_module could not be run: it cannot be imported "
        "(ModuleNotFoundError: No module named 'no_such_module')"
    ]
    assert printed.err == ""


def test_a_module_may_lie_in_the_current_directory(capsys, tmp_path, monkeypatch):
    (tmp_path / "lying_here.py").write_text("__version__ = '7.0'\n")
    monkeypatch.chdir(tmp_path)
    assert main(["--module", "lying_here", "--api", "tf.tpu"]) == 1
    assert "lying_here: lying_here 7.0" in capsys.readouterr().out


def test_a_stranger_is_judged_by_releases_if_asked(capsys, tmp_path, monkeypatch):
    (tmp_path / "stranger.py").touch()
    monkeypatch.chdir(tmp_path)
    of_releases = ["--module", "stranger", "--clause", "tf.train.Server.target/*"]
    assert main(of_releases) == 2
    assert "stranger: none of these clauses is for it" in capsys.readouterr().err
    assert main([*of_releases, "--include-releases"]) == 1
    assert "done by releases" in capsys.readouterr().out


def test_the_list_is_json_if_asked(capsys, tmp_path):
    arguments = ["--list", "--clause", "*-nineteen", "--json"]
    assert main(arguments) == 0
    (printed,) = json.loads(capsys.readouterr().out)
    assert (printed["id"], printed["source"]) == (
        "tf.tpu/name/all-nineteen",
        "document",
    )
    assert main([*arguments, str(tmp_path / "list")]) == 0
    assert json.loads((tmp_path / "list").read_text()) == [printed]


@pytest.mark.parametrize("option", ["--json", "--junit", "--html", "--markdown"])
def test_what_cannot_be_written_is_said_before_the_run(tiny, capsys, tmp_path, option):
    for path in (tmp_path / "no" / "file", tmp_path):
        assert main(["--subject", "right", option, str(path)]) == 2
        printed = capsys.readouterr()
        assert f"{path} cannot be written" in printed.err and printed.out == ""


def test_json_alone_is_printed(tiny, capsys):
    assert main(["--subject", "right", "--clause", "*/twice", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exit_status"] == 0


def test_two_reports_are_compared(tiny, capsys, tmp_path):
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    main(["--subject", "right", "--json", old])
    main(["--subject", "right", "--clause", "*half*", "--json", new])
    capsys.readouterr()
    assert main(["--diff", old, old]) == 0
    assert main(["--diff", old, new]) == 1
    text = capsys.readouterr().out
    assert "right: tf.double/returns/twice: pass -> not there" in text
    assert "right: pass 4 -> 2" in text


@pytest.mark.parametrize(
    "spoil",
    [
        lambda report: report.pop("footer"),
        lambda report: report["footer"].update(results=3),
        lambda report: report["subjects"][0]["results"].append(
            report["subjects"][0]["results"][0]
        ),
        lambda report: report.update(format=1),
    ],
)
def test_a_report_that_is_not_whole_is_refused(tiny, capsys, tmp_path, spoil):
    path = tmp_path / "report"
    main(["--subject", "right", "--json", str(path)])
    report = json.loads(path.read_text())
    spoil(report)
    path.write_text(json.dumps(report))
    assert main(["--diff", str(path), str(path)]) == 2
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("choice", "count"),
    [
        (["--clause", "*/twice"], 1),
        (["--tier", "build"], 1),
        (["--api", "tf.h*"], 2),
        (["--smoke"], 4),
        ([], 4),
    ],
)
def test_selection(tiny, capsys, choice, count):
    assert main(["--list", *choice]) == 0
    assert len(capsys.readouterr().out.splitlines()) == count


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--clause", "tf.no/such/clause"], "no clause fits"),
        (["--subject", "pytorch"], "there is no subject 'pytorch'"),
        (["--python", sys.executable], "--python goes with --module"),
        (["--diff", "nowhere.json", "nowhere.json"], "nowhere.json"),
        (["env", "tensorflow==0.1"], "no constraints for tensorflow==0.1"),
    ],
)
def test_what_cannot_run(capsys, arguments, message):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_any_module_of_any_interpreter(capsys):
    arguments = ["--module", "json", "--python", sys.executable]
    assert main([*arguments, "--api", "tf.compat.v1.tpu.*"]) == 1
    assert "there is no tf.compat" in capsys.readouterr().out


def test_smoke_touches_every_document(capsys):
    clauses = load_clauses()
    few = command.select(clauses, smoke=True)
    assert {one.document for one in few} == {one.document for one in clauses}
    assert {one.tier for one in few} == {"surface", "build", "run", "host"}
    assert sum(one.tier != "surface" for one in few) < 20


def test_an_interrupted_run_ends_soon(tiny, monkeypatch, capsys):
    class Interrupting:
        def __init__(self, total):
            """Nothing is shown."""

        def __call__(self, subject, result):
            _thread.interrupt_main()

        def close(self):
            """Nothing was shown."""

    monkeypatch.setattr(command.terminal, "Progress", Interrupting)
    assert main(["--subject", "hanging", "--timeout", "5"]) == 2
    assert "interrupted" in capsys.readouterr().err
