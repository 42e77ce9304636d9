"""Jobs in forks, and which lines of which files they execute."""

from __future__ import annotations

import importlib.util
import os
import signal
import time

import pytest

from maintenance.cosmic_ray import forks
from maintenance.cosmic_ray.covering import Covering

# Other threads of the test process do not matter to jobs this small.
pytestmark = pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")


def end_by_a_signal():
    os.kill(os.getpid(), signal.SIGKILL)


def fail():
    raise ValueError("no answer")


def test_results_are_in_the_order_of_the_jobs():
    assert forks.all_of([lambda n=n: n * n for n in range(7)]) == [
        0,
        1,
        4,
        9,
        16,
        25,
        36,
    ]
    assert forks.all_of([]) == []


def test_a_large_result_comes_whole():
    assert forks.all_of([lambda: b"x" * 1_000_000]) == [b"x" * 1_000_000]


def test_a_job_that_ends_otherwise_gives_none(capfd):
    assert forks.all_of([end_by_a_signal, lambda: 1, fail]) == [None, 1, None]
    assert "ValueError: no answer" in capfd.readouterr().err


def test_a_job_that_takes_too_long_is_ended():
    assert forks.all_of([lambda: time.sleep(600)], patience=0.2) == [None]


def test_jobs_end_when_nobody_listens_any_more(tmp_path):
    def tell_and_wait():
        (tmp_path / str(os.getpid())).touch()
        time.sleep(600)

    results = forks.as_completed([lambda: 1, tell_and_wait])
    assert next(results) == (0, 1)
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    results.close()
    for entry in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(entry.name), 0)


def test_a_job_can_be_silent(capfd):
    def speak():
        forks.silence()
        os.write(1, b"to nobody")
        os.write(2, b"to nobody")
        return True

    assert forks.all_of([speak]) == [True]
    assert capfd.readouterr() == ("", "")


# ------------------------------------------------------------------ covering

MODULE = """\
LIMIT = 3


def small(value):
    if value < LIMIT:
        return True
    return False


def other():
    return 7
"""


class Place:
    """A mutant, as far as covering looks at it."""

    def __init__(self, path, line, function):
        self.path = path
        self.line = line
        self.function = function


class Run:
    """A clause that calls a function of the module."""

    def __init__(self, id, call):
        self.id = id
        self.call = call


@pytest.fixture
def covered(tmp_path):
    """Return a function that gives the ids of the clauses for a place."""
    path = tmp_path / "covered.py"
    path.write_text(MODULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("covered", path)
    module = importlib.util.module_from_spec(spec)
    clauses = [
        Run("none", lambda: None),
        Run("large", lambda: module.small(5)),
        Run("other", lambda: module.other()),
        Run("small", lambda: module.small(1)),
    ]

    def imports():
        spec.loader.exec_module(module)

    covering = Covering([str(path)], clauses, imports, lambda clause: clause.call())
    return lambda line, function: [
        one.id for one in covering.of(Place(str(path), line, function))
    ]


def test_clauses_that_execute_the_line_come_first(covered):
    small = range(4, 8)
    assert covered(5, small) == ["large", "small"]
    assert covered(6, small) == ["small", "large"]
    assert covered(7, small) == ["large", "small"]
    assert covered(11, range(10, 12)) == ["other"]


def test_every_clause_may_notice_what_changes_at_import(covered):
    assert covered(1, range(1, 2)) == ["large", "other", "small", "none"]
    assert covered(4, range(4, 8)) == ["large", "other", "small", "none"]


def test_a_clause_that_ends_the_process_is_named(tmp_path):
    with pytest.raises(RuntimeError, match="could not be recorded"):
        Covering(
            [], [Run("bad", end_by_a_signal)], lambda: None, lambda one: one.call()
        )
