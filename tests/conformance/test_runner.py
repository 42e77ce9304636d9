"""The runner against subjects of known quality: the report stays complete."""

import importlib
import sys
import time
from pathlib import Path

import pytest
from tpuref_conformance.catalogue import Subject
from tpuref_conformance.known import Known
from tpuref_conformance.report import Column, Report
from tpuref_conformance.runner import Runner

FAKES = Path(__file__).parent / "fakes"


@pytest.fixture
def clauses(monkeypatch):
    """Return the clauses of the tiny suite."""
    monkeypatch.syspath_prepend(str(FAKES))
    return importlib.import_module("tiny_suite").load_clauses()


def fake(module, **facts):
    settings = {"PYTHONPATH": str(FAKES)}
    return Subject(
        module, module, sys.executable, settings, suite="tiny_suite", **facts
    )


def run(clauses, tmp_path, *subjects, clause_time=60.0, **options):
    runner = Runner(clauses, Known(str(tmp_path)), None, clause_time, **options)
    return runner.run(list(subjects))


def outcomes(finished):
    return [result.outcome for result in finished.results]


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("right", ["pass"] * 4),
        ("wrong", ["fail", "pass", "error", "pass"]),
        ("crashing", ["crash", "pass", "crash", "pass"]),
        ("noisy", ["pass"] * 4),
        ("flooding", ["pass"] * 4),
        ("impostor", ["crash", "pass", "pass", "pass"]),
        ("empty", ["absent"] * 4),
        ("blind", ["pass", "not-applicable", "pass", "pass"]),
        ("unimportable", ["error"] * 4),
        ("leaving", ["error"] * 4),
    ],
)
def test_every_clause_has_a_result_whatever_the_subject_does(
    clauses, tmp_path, module, expected
):
    (finished,) = run(clauses, tmp_path, fake(module))
    assert outcomes(finished) == expected
    assert [one.id for one in finished.results] == [one.id for one in clauses]


def test_a_subject_that_hangs_is_stopped_and_started_again(clauses, tmp_path):
    start = time.monotonic()
    (finished,) = run(clauses, tmp_path, fake("hanging"), clause_time=5.0)
    assert outcomes(finished) == ["pass", "pass", "timeout", "pass"]
    assert finished.results[2].message == "no answer within 5 s"
    assert time.monotonic() - start < 60


def test_a_crash_tells_its_signal_and_what_was_printed(clauses, tmp_path):
    (finished,) = run(clauses, tmp_path, fake("crashing"))
    by_signal, _, by_status, _ = finished.results
    assert by_signal.message == "the process was ended by SIGSEGV"
    assert by_status.message == "the process ended with status 7"


def test_noise_is_detail_and_never_verdict(clauses, tmp_path):
    (finished,) = run(clauses, tmp_path, fake("noisy"))
    detail = finished.results[0].detail
    assert "no JSON" in detail and "to the errors" in detail


def test_a_subject_that_lies_about_its_version_is_a_row_that_says_so(clauses, tmp_path):
    liar = fake("lying", version="1.15.5")
    honest, finished = run(clauses, tmp_path, fake("right"), liar)
    assert outcomes(honest) == ["pass"] * 4
    assert outcomes(finished) == ["error"] * 4
    assert (
        "it says that it is version 9.9.9, but 1.15.5 was expected" in finished.reason
    )


def test_why_a_subject_cannot_start_is_told(clauses, tmp_path):
    missing, leaving = run(clauses, tmp_path, fake("unimportable"), fake("leaving"))
    assert "OSError: a library is missing" in missing.reason
    assert "status 3" in leaving.reason and "goodbye" in leaving.reason


def test_an_interpreter_that_is_not_there_is_a_row(clauses, tmp_path):
    subject = fake("right")
    subject.python = str(tmp_path / "python")
    (finished,) = run(clauses, tmp_path, subject)
    assert outcomes(finished) == ["error"] * 4
    assert "cannot be started" in finished.reason


def test_a_subject_that_always_falls_is_given_up(clauses, tmp_path, monkeypatch):
    monkeypatch.setattr("tpuref_conformance.runner.PATIENCE", 1)
    (finished,) = run(clauses, tmp_path, fake("crashing"))
    assert outcomes(finished) == ["crash", "error", "error", "error"]
    assert "lost 1 times in a row" in finished.reason


def test_a_subject_is_judged_by_the_statements_of_its_sources(clauses, tmp_path):
    clauses[1].source = "release"
    stranger, release = fake("right"), fake("right")
    release.sources += ("release",)
    runs = run(clauses, tmp_path, stranger, release)
    assert [len(one.results) for one in runs] == [3, 4]
    assert fake("tpuref").sources == ("document", "release")


@pytest.mark.parametrize(
    ("module", "strict", "status"),
    [
        ("right", True, 0),
        ("blind", False, 0),
        ("blind", True, 1),
        ("wrong", False, 1),
        ("empty", False, 1),
        ("unimportable", False, 2),
    ],
)
def test_exit_status(clauses, tmp_path, module, strict, status):
    runs = run(clauses, tmp_path, fake(module, strict=strict))
    assert Report(clauses, [Column.of(one) for one in runs]).exit_status == status


ENTRY = """
# a comment
["tf.double/returns/twice"]
outcome = "fail"
observed = "expected 4, got 2"
evidence = "seen"
"""


def judged(clauses, tmp_path, module, text):
    (tmp_path / f"{module}.toml").write_text(text)
    known = Known(str(tmp_path))
    (finished,) = Runner(clauses, known).run([fake(module)])
    return finished, known.complaints(finished, clauses)


def test_a_recorded_failure_deviates(clauses, tmp_path):
    finished, complaints = judged(clauses, tmp_path, "wrong", ENTRY)
    assert outcomes(finished) == ["deviates", "pass", "error", "pass"]
    assert finished.results[0].evidence == "seen"
    assert complaints == []


@pytest.mark.parametrize("verdict", ["differs", "not-applicable"])
def test_a_recorded_failure_may_be_no_contradiction(clauses, tmp_path, verdict):
    text = ENTRY + f'verdict = "{verdict}"\n'
    finished, complaints = judged(clauses, tmp_path, "wrong", text)
    assert outcomes(finished)[0] == verdict
    assert complaints == []
    assert not any(
        one.id == "tf.double/returns/twice" for one in Column.of(finished).failures()
    )


def test_a_recorded_failure_that_passes_is_stale(clauses, tmp_path):
    finished, complaints = judged(clauses, tmp_path, "right", ENTRY)
    assert outcomes(finished) == ["pass"] * 4
    (complaint,) = complaints
    assert "stale entry tf.double/returns/twice" in complaint


def test_a_recorded_failure_that_fails_otherwise_is_stale(clauses, tmp_path):
    text = ENTRY.replace("got 2", "got 3")
    finished, (complaint,) = judged(clauses, tmp_path, "wrong", text)
    assert outcomes(finished)[0] == "fail"
    assert "stale entry" in complaint


def test_an_entry_without_a_clause_is_unknown(clauses, tmp_path):
    text = ENTRY.replace("tf.double/returns/twice", "tf.double/returns/thrice")
    _, (complaint,) = judged(clauses, tmp_path, "right", text)
    assert "unknown clause tf.double/returns/thrice" in complaint


def test_an_entry_with_wildcards_is_for_every_clause_that_it_matches(clauses, tmp_path):
    text = """
["tf.*/returns/*"]
outcome = "absent"
observed = "there is no tf."
evidence = "seen"
"""
    finished, complaints = judged(clauses, tmp_path, "empty", text)
    assert outcomes(finished) == ["deviates", "absent", "deviates", "absent"]
    assert complaints == []
    finished, complaints = judged(clauses, tmp_path, "right", text)
    assert len(complaints) == 2


@pytest.mark.parametrize(
    "text",
    [
        ENTRY + ENTRY,
        ENTRY.replace('"seen"', '""'),
        ENTRY + 'more = "x"\n',
        ENTRY + 'verdict = "pass"\n',
        "clause\n",
    ],
)
def test_a_malformed_file_is_refused(clauses, tmp_path, text):
    with pytest.raises(ValueError, match="toml"):
        judged(clauses, tmp_path, "right", text)
