"""The subject of the clauses, which ``--subject`` names."""

from collections.abc import Iterator
from typing import Any

import pytest
from tpuref_conformance.catalogue import UnknownSubject, default_subject, find_subject
from tpuref_conformance.known import Known
from tpuref_conformance.runner import Line, judging
from tpuref_conformance.suite import load_clauses

_SUBJECT: pytest.StashKey[Any] = pytest.StashKey()


def chosen_subject(config: pytest.Config) -> Any:
    """Return the subject that the options name, by default tpuref."""
    if _SUBJECT not in config.stash:
        name = config.getoption("subject", None)
        try:
            subject = default_subject() if name is None else find_subject(name)
        except UnknownSubject as error:
            raise pytest.UsageError(f"--subject: {error}") from error
        subject.known = config.getoption("known", None) or subject.known
        if config.getoption("include_releases", False):
            subject.sources = tuple(dict.fromkeys((*subject.sources, "release")))
        config.stash[_SUBJECT] = subject
    return config.stash[_SUBJECT]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each clause that judges the subject."""
    if "clause" in metafunc.fixturenames:
        clauses = judging(chosen_subject(metafunc.config), load_clauses())
        metafunc.parametrize("clause", clauses, ids=[one.id for one in clauses])


@pytest.fixture(scope="session")
def subject(pytestconfig: pytest.Config) -> Any:
    """Return the subject."""
    return chosen_subject(pytestconfig)


@pytest.fixture(scope="session")
def line(subject: Any) -> Iterator[Any]:
    """Yield the line to the process of the subject."""
    known = Known()
    if subject.known is not None:
        known.add(subject.name, subject.known)
    asked = Line(subject, known)
    yield asked
    asked.kill()
