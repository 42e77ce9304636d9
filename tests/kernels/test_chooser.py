"""Which twin is taken, in fresh interpreters, and that the twins are twins."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tpuref.kernels.cython
from tpuref.kernels import status
from tpuref.kernels.python import padding, sharding

TELL = (
    "import tpuref.kernels as kernels; print(kernels.IMPLEMENTATION, kernels.sharding)"
)

# An interpreter in which nothing was compiled.
WITHOUT_COMPILED = """
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name.startswith("tpuref.kernels.cython") else find_spec(name, package)
)
"""


def run(code, wanted):
    environment = {**os.environ, "TPUREF_KERNELS": wanted}
    if wanted is None:
        del environment["TPUREF_KERNELS"]
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("wanted", ["auto", "cython", None])
def test_compiled_kernels_are_taken_where_they_are(wanted):
    answer = run(TELL, wanted)
    assert answer.stdout.startswith("cython <module 'tpuref.kernels.cython.sharding'")


def test_python_is_taken_when_asked_for():
    answer = run(TELL, "python")
    assert answer.stdout.startswith("python <module 'tpuref.kernels.python.sharding'")


def test_auto_does_without_compiled_kernels():
    answer = run(WITHOUT_COMPILED + TELL, "auto")
    assert answer.stdout.startswith("python <module 'tpuref.kernels.python.sharding'")


def test_asking_for_compiled_kernels_that_are_not_there_is_an_error():
    answer = run(WITHOUT_COMPILED + TELL, "cython")
    assert answer.returncode == 1
    assert "ImportError: TPUREF_KERNELS=cython" in answer.stderr
    assert "C compiler" in answer.stderr
    assert "TPUREF_PURE" in answer.stderr


def test_an_unknown_wish_is_an_error():
    answer = run(TELL, "fortran")
    assert answer.returncode == 1
    assert (
        "ValueError: TPUREF_KERNELS: expected auto, cython or python" in answer.stderr
    )
    assert "'fortran'" in answer.stderr


def test_twins_have_the_same_functions_and_arguments(kernels):
    twins = ((kernels.sharding, sharding), (kernels.padding, padding))
    names = {"take_shard", "put_shard", "pad"}
    for twin, python in twins:
        for name in names & set(vars(python)):
            assert list(inspect.signature(getattr(twin, name)).parameters) == list(
                inspect.signature(getattr(python, name)).parameters
            )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (status.BAD_COUNT, "a count is negative"),
        (status.NO_SUCH_SHARD, "not below the number of shards"),
        (status.SOURCE_SIZE, "the source does not hold"),
        (status.DESTINATION_SIZE, "the destination does not hold"),
        (status.BAD_RANK, "differ in rank"),
        (status.DOES_NOT_FIT, "larger than the padded one"),
        (99, "unknown status 99"),
    ],
)
def test_every_failure_is_raised_with_its_meaning(code, message):
    with pytest.raises(ValueError, match=rf"split\(axis=1\): .*{message}"):
        status.check(code, "split", axis=1)


def test_the_compiled_kernels_have_the_same_numbers():
    declared = Path(tpuref.kernels.cython.__file__).with_name("status.pxd").read_text()
    numbers = dict(re.findall(r"([A-Z_]+) = ([0-9]+)", declared))
    assert {name: int(number) for name, number in numbers.items()} == {
        name: value
        for name, value in vars(status).items()
        if name.isupper() and not name.startswith("_")
    }
