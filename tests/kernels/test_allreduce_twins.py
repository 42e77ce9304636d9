"""The compiled all-reduce algorithms give the bits of the Python ones."""

from __future__ import annotations

import importlib
import inspect
import shlex
import subprocess
import sysconfig
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tpuref.kernels.cython
from tpuref.kernels.python import allreduce as python

pytestmark = pytest.mark.usefixtures("compiled")

FLOATS = [
    np.dtype(name) for name in ("float16", ml_dtypes.bfloat16, "float32", "float64")
]
INTEGERS = [
    np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)
]
COMPLEX = [np.dtype("complex64"), np.dtype("complex128")]
ALGORITHMS = ["fold", "direct", "flat", "ring"]


@pytest.fixture
def cython(compiled):
    return importlib.import_module("tpuref.kernels.cython.allreduce")


def numbers(rng, count, dtype):
    """Numbers whose sums round and, for integers, wrap."""
    if dtype.kind in "iu":
        return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    if dtype.kind == "c":
        parts = numbers(rng, 2 * count, np.dtype(f"float{dtype.itemsize * 4}"))
        return parts.view(dtype)
    scale = 10.0 ** rng.integers(-2, 3, count)
    return (rng.standard_normal(count) * scale).astype(dtype)


def bits(results):
    vectors = results if isinstance(results, list) else [results]
    return [(vector.dtype, vector.shape, vector.tobytes()) for vector in vectors]


@pytest.mark.parametrize("num_cores", [1, 2, 3, 4, 7, 8, 16])
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + COMPLEX, ids=str)
def test_sums_have_equal_bits(cython, dtype, num_cores):
    rng = np.random.default_rng(num_cores)
    lengths = {0, 1, num_cores - 1, num_cores, num_cores + 1, 63, 1000, 9001}
    for length in sorted(lengths):
        vectors = [numbers(rng, length, dtype) for _ in range(num_cores)]
        for name in ALGORITHMS:
            expected = getattr(python, name)(vectors)
            assert bits(getattr(cython, name)(vectors)) == bits(expected), name


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=str)
def test_unaligned_and_strided_vectors_have_equal_bits(cython, dtype):
    rng = np.random.default_rng(0)
    memory = [np.zeros(2000 * dtype.itemsize + 1, np.uint8) for _ in range(3)]
    vectors = [each[1:].view(dtype) for each in memory]
    for vector in vectors:
        vector[:] = numbers(rng, 2000, dtype)
    for chosen in (vectors, [vector[::3] for vector in vectors]):
        for name in ALGORITHMS:
            expected = getattr(python, name)(chosen)
            assert bits(getattr(cython, name)(chosen)) == bits(expected), name


@pytest.mark.parametrize("dtype", FLOATS[:2], ids=str)
def test_all_half_values_have_equal_bits(cython, dtype):
    # Every value by itself, next to nothing, and with something that makes it round.
    values = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    finite = np.isfinite(values.astype(np.float32))
    partners = np.random.default_rng(1).permutation(values[finite])
    partners = np.resize(partners, values.size)
    for vectors in (
        [values],
        [values, np.zeros_like(values)],
        [-np.zeros_like(values), values],
        [values, partners],
        [partners, values, partners[::-1].copy()],
    ):
        assert bits(cython.fold(vectors)) == bits(python.fold(vectors))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_ties_overflow_and_what_is_no_number_have_equal_bits(cython, dtype):
    info = ml_dtypes.finfo(dtype)
    largest, eps = float(info.max), float(info.eps)
    special = np.array(
        [
            *(0.0, -0.0, 1.0, 1 + eps, eps / 2),
            *(largest, largest * eps, float(info.tiny), float(info.smallest_subnormal)),
            *(np.inf, -np.inf, np.nan, -np.nan),
        ],
        dtype,
    )
    # One operand at most is not a number: which of two survives is left open.
    first, second = (each.ravel() for each in np.meshgrid(special, special))
    both = np.isnan(first.astype(np.float64)) & np.isnan(second.astype(np.float64))
    first, second = first[~both], second[~both]
    for length in (first.size, 5):  # in whole vectors, and in what is left over
        vectors = [first[-length:], second[-length:]]
        for name in ALGORITHMS:
            expected = getattr(python, name)(vectors)
            assert bits(getattr(cython, name)(vectors)) == bits(expected), name


def test_results_are_vectors_of_their_own(cython):
    for name in ALGORITHMS:
        for num_cores in (1, 3):
            vectors = [np.arange(10) for _ in range(num_cores)]
            results = getattr(cython, name)(vectors)
            results = results if isinstance(results, list) else [results]
            for result in results:
                result[:] = -1
            assert [vector.tolist() for vector in vectors] == (
                [list(range(10))] * num_cores
            )
            assert len({result.ctypes.data for result in results}) == len(results)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    "vectors",
    [
        [],
        [np.zeros(2), np.zeros(3)],
        [np.zeros(2, np.float32), np.zeros(2)],
        [np.zeros((2, 2))],
        [np.zeros(2, bool)],
        [np.array([b"a"], object)],
    ],
    ids=["none", "lengths", "dtypes", "rank", "bool", "object"],
)
def test_the_same_is_refused_in_the_same_words(cython, name, vectors):
    with pytest.raises((ValueError, TypeError)) as expected:
        getattr(python, name)(vectors)
    with pytest.raises((ValueError, TypeError)) as found:
        getattr(cython, name)(vectors)
    assert found.type is expected.type
    assert str(found.value) == str(expected.value)


def test_the_twins_have_the_same_functions(cython):
    for name in [*ALGORITHMS, "accumulator", "vector_instructions"]:
        ours, theirs = getattr(cython, name), getattr(python, name)
        assert list(inspect.signature(ours).parameters) == list(
            inspect.signature(theirs).parameters
        )


def test_the_instructions_in_use_have_a_name(cython):
    assert cython.vector_instructions() in ("avx512f", "avx2", "plain")
    assert python.vector_instructions() == "numpy"


def test_all_sets_of_instructions_have_equal_bits(tmp_path):
    # This processor takes one set only, so a program of their own compares them all.
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    program = tmp_path / "passes"
    source = Path(__file__).with_name("passes.c")
    headers = Path(tpuref.kernels.cython.__file__).parent
    command = [*compiler, "-O3", f"-I{headers}", str(source), "-o", str(program)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip(f"there is no C compiler: {compiler}")
    outcome = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (outcome.stdout, outcome.returncode) == ("equal\n", 0)
