"""Run Keras's own tests on tpuref, or on TensorFlow, and print the table of both.

    python keras_tests.py run SOURCE OUTCOMES [FOLDER ...]
    python keras_tests.py table OUTCOMES [OUTCOMES OF TENSORFLOW]

SOURCE holds Keras's source at the tag of the installed release (git clone --branch
v3.15.1): the wheel has no tests.  `run` puts those tests beside a copy of the installed
package, and writes a line for each: its name, its outcome and its error.  The Python
that has tpuref runs them on tpuref, one that has TensorFlow alone on TensorFlow.  The
status is 1 if a test fails that ``keras_known.txt`` does not name.
"""

import argparse
import collections
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SECONDS = 120
KNOWN = Path(__file__).with_name("keras_known.txt")
FOLDERS = [
    *("activations", "losses", "metrics", "optimizers", "initializers"),
    *("regularizers", "constraints", "layers", "trainers", "models", "callbacks"),
    *("saving", "random", "wrappers", "ops"),
]


class Outcomes:
    """Writes what came of each test, and ends one that takes too long."""

    def __init__(self, file):
        self.file = file

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self):
        def stop(*_):
            raise TimeoutError(f"the test took more than {SECONDS} s")

        signal.signal(signal.SIGALRM, stop)
        signal.alarm(SECONDS)
        try:
            return (yield)
        finally:
            signal.alarm(0)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.write(report, report.outcome)

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(report, "error")

    def write(self, report, outcome):
        lines = str(report.longrepr or "").splitlines()
        errors = [line[2:].strip() for line in lines if line.startswith("E  ")]
        name = report.nodeid.removeprefix("keras/src/")
        print(name, outcome, *errors[:1], sep="\t", file=self.file, flush=True)


def prepare(source, place):
    """Put the tests of a source beside a copy of the installed package."""
    package = Path(importlib.util.find_spec("keras").origin).parent
    shutil.copytree(package, place / "keras")
    tests = [*source.glob("keras/src/**/*_test.py"), source / "conftest.py"]
    tests += (source / "keras/src/saving/test_data").glob("*")
    for file in (*tests, source / "pyproject.toml"):
        target = place / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def run(source, outcomes, folders):
    """Run the tests of some folders in their own process."""
    tpuref = importlib.util.find_spec("tpuref") is not None
    starts = ["-m", "tpuref", "run", "--as-tensorflow=2"] if tpuref else []
    with tempfile.TemporaryDirectory() as place:
        prepare(source.resolve(), Path(place))
        chosen = [f"keras/src/{folder}" for folder in folders or FOLDERS]
        command = [sys.executable, *starts, __file__, "inside", str(outcomes.resolve())]
        path = os.pathsep.join([place, os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [*command, *chosen],
            cwd=place,
            check=False,
            env={**os.environ, "KERAS_BACKEND": "tensorflow", "PYTHONPATH": path},
        )
    return surprises(read(outcomes)) if tpuref else []


def inside(outcomes, folders):
    """Run the tests here."""
    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts="]
    with open(outcomes, "w") as file:
        arguments = [*options, "--continue-on-collection-errors", *folders]
        pytest.main(arguments, plugins=[Outcomes(file)])


def read(outcomes):
    """Return the outcome of each test."""
    lines = outcomes.read_text().splitlines()
    return {name: rest[0] for name, *rest in (line.split("\t") for line in lines)}


def surprises(found):
    """Return the tests that fail without being known to."""
    known = [
        line.split()[0] for line in KNOWN.read_text().splitlines() if line[:1] > "#"
    ]
    return [
        name
        for name, outcome in found.items()
        if outcome in ("failed", "error") and not any(map(name.startswith, known))
    ]


def table(own, tensorflow):
    """Print how many of TensorFlow's passing tests pass, by folder."""
    rows = collections.Counter(), collections.Counter()
    for name, outcome in (tensorflow or own).items():
        if outcome == "passed" or (not tensorflow and outcome == "failed"):
            first, second = name.partition("::")[0].split("/")[:2]
            folder = f"{first}/{second}" if first == "layers" else first
            rows[0][folder] += 1
            rows[1][folder] += own.get(name) == "passed"
    print("| folder | passed of run | |\n| --- | --- | --- |")
    for folder, count in sorted(rows[0].items()):
        passed = rows[1][folder]
        print(f"| {folder} | {passed} of {count} | {passed / count:.1%} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["run", "table", "inside"])
    parser.add_argument("paths", nargs="+", type=Path)
    given = parser.parse_args()
    if given.command == "inside":
        inside(given.paths[0], [str(path) for path in given.paths[1:]])
    elif given.command == "table":
        own, *tensorflow = map(read, given.paths)
        table(own, tensorflow[0] if tensorflow else None)
    else:
        source, outcomes, *folders = given.paths
        unknown = run(source, outcomes, folders)
        print(*(f"not known to fail: {name}" for name in unknown), sep="\n")
        sys.exit(bool(unknown))


if __name__ == "__main__":
    main()
