"""Which twin is taken, in fresh interpreters, and that the twins are twins."""

import inspect
import re
from pathlib import Path

import pytest

import tpuref.kernels.cython
from tpuref.kernels import status
from tpuref.kernels.python import padding, sharding

from ..pythons import python

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


CYTHON, PYTHON = (
    f"{name} <module 'tpuref.kernels.{name}.sharding'" for name in ("cython", "python")
)
MISSING = "(?s)ImportError: TPUREF_KERNELS=cython.*C compiler.*TPUREF_PURE"
UNKNOWN = "ValueError: TPUREF_KERNELS: expected auto, cython or python.*'fortran'"


@pytest.mark.parametrize(
    ("code", "wanted", "shown", "fault"),
    [
        *((TELL, wanted, CYTHON, None) for wanted in ("auto", "cython", None)),
        (TELL, "python", PYTHON, None),
        (WITHOUT_COMPILED + TELL, "auto", PYTHON, None),
        (WITHOUT_COMPILED + TELL, "cython", "", MISSING),
        (TELL, "fortran", "", UNKNOWN),
    ],
)
def test_which_kernels_are_taken(request, code, wanted, shown, fault):
    if shown == CYTHON:
        request.getfixturevalue("compiled")
    answer = python("-c", code, env={"TPUREF_KERNELS": wanted})
    assert answer.stdout.startswith(shown)
    assert answer.returncode == (fault is not None)
    assert fault is None or re.search(fault, answer.stderr)


def test_twins_have_the_same_functions_and_arguments(kernels):
    for twin, plain in ((kernels.sharding, sharding), (kernels.padding, padding)):
        for name in {"take_shard", "put_shard", "pad"} & set(vars(plain)):
            one, other = (
                inspect.signature(getattr(module, name)) for module in (twin, plain)
            )
            assert list(one.parameters) == list(other.parameters)


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
    own = {n: str(v) for n, v in vars(status).items() if n.isupper() and n[0] != "_"}
    assert numbers == own
