"""TensorFlow's own unit tests of what tpuref has, kept outside of the repository.

``TPUREF_TENSORFLOW_TESTS`` names a folder with a folder for each release, such as
``1.15.0``, which has the tests under the paths that they have in TensorFlow, with
``strategy_test_lib.py`` and ``single_loss_example.py``.  They import TensorFlow, which
means tpuref.  Failures that are known are judged in ``judged.csv``; an entry whose
tests pass fails too.
"""

import csv
import importlib
import os
import unittest
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

import tpuref as tf

from . import machinery, names, servers

FOLDER = os.environ.get("TPUREF_TENSORFLOW_TESTS", "")
JUDGED = list(
    csv.DictReader(Path(__file__).with_name("judged.csv").read_text().splitlines())
)


class Case(NamedTuple):
    """A test method, with the arguments of one row if it has combinations."""

    release: str
    file: str
    kind: type
    method: str
    row: dict[str, Any] | None

    @property
    def name(self):
        """The name in ``judged.csv``."""
        row = ",".join(map(str, self.row.values())) if self.row else ""
        return f"{self.file}::{self.kind.__name__}.{self.method}" + f"[{row}]" * bool(
            row
        )

    @property
    def judgement(self):
        """Why the test fails, None if it has to pass."""
        return next((row["judgement"] for row in JUDGED if self.is_in(row)), None)

    def is_in(self, row):
        """Return whether a row of ``judged.csv`` speaks of the test."""
        pattern = row["tests"].replace("[", "[[]")
        return self.release in row["releases"].split() and fnmatchcase(
            self.name, pattern
        )


def cases():
    if not FOLDER:
        return
    for folder in sorted(filter(Path.is_dir, Path(FOLDER).iterdir())):
        for file in sorted(folder.rglob("*_test.py")):
            with tf.config.override(), names.tensorflow_is_tpuref(folder):
                path = file.relative_to(folder).with_suffix("")
                module = importlib.import_module(".".join(path.parts))
                yield from cases_of(module, folder.name, file.stem)


def cases_of(module, release, file):
    for kind in vars(module).values():
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        if not issubclass(kind, unittest.TestCase):
            continue
        for method in unittest.defaultTestLoader.getTestCaseNames(kind):
            if method == "test_session":
                continue
            for row in getattr(getattr(kind, method), "rows", [None]):
                yield Case(release, file, kind, method, row)


CASES = list(cases())


def with_judgement(case):
    why = case.judgement
    marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
    return pytest.param(case, id=f"{case.release}/{case.name}", marks=marks)


@pytest.mark.skipif(not FOLDER, reason="TPUREF_TENSORFLOW_TESTS names no folder")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("case", [with_judgement(case) for case in CASES])
def test_of_tensorflow(case):
    if case.row is not None:

        def run(self):
            machinery.run_row(getattr(super(made, self), case.method), case.row or {})

        made = type(case.kind.__name__, (case.kind,), {case.method: run})
    else:
        made = case.kind
    result = unittest.TestResult()
    with (
        names.tensorflow_is_tpuref(Path(FOLDER, case.release)),
        servers.patched(),
        mock.patch.dict(os.environ),
    ):
        made(case.method).run(result)
    for _, trace in result.errors + result.failures:
        pytest.fail(trace, pytrace=False)
    if result.skipped:
        pytest.skip(result.skipped[0][1])


@pytest.mark.skipif(not FOLDER, reason="TPUREF_TENSORFLOW_TESTS names no folder")
def test_each_judgement_is_of_a_test():
    idle = [
        (release, row["tests"])
        for release in {case.release for case in CASES}
        for row in JUDGED
        if release in row["releases"].split()
        and not any(case.release == release and case.is_in(row) for case in CASES)
    ]
    assert idle == []
