"""Each operation in JAX, stacked by replica and compiled, beside NumPy."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from tpuref.engine.ops.definition import outputs_of
from tpuref.engine.ops.registry import REGISTRY

from .test_consistency import CASES, COMPUTED, inputs_of

jax = pytest.importorskip("jax", reason="JAX is not installed")
rules = import_module("tpuref.engine.runtime.xla.rules.registry")

NOT_COMPILED = {
    "Where": "the size of its output depends on data",
    "Unique": "the size of its output depends on data",
    **dict.fromkeys(
        (
            *("Cholesky", "Eig", "LogMatrixDeterminant", "Lu", "Qr", "Svd"),
            *("MatrixDeterminant", "MatrixInverse", "MatrixSolve", "SelfAdjointEigV2"),
            *("MatrixTriangularSolve", "StatelessMultinomial", "StatelessShuffle"),
            *("StatelessRandomFullInt", "StatelessRandomNormal"),
            *("StatelessRandomUniform", "StatelessRandomUniformInt"),
            *("StatelessTruncatedNormal", "StatelessRandomGammaV3"),
            "StatelessRandomBinomial",
        ),
        "has no rule yet, and the executor refuses it",
    ),
}
DTYPES = {"float32", "float16", "int32", "bool", "complex64"}
REPLICAS = 3


UNLIKE = {"NextAfter": "rounds denormals away", "Spacing": "is not JAX's"}


def dtypes(case):
    return [d for d in case.kind.dtypes if d.name in DTYPES] if case.data else [None]


def quartered(case):
    """Return a case with fractions of its inputs, at which more is to be seen."""
    return replace(case, inputs=[np.asarray(x) / 4 for x in case.inputs])


# Of what is computed by element, the first shapes will do, with one dtype.
ONCE = {(case.name, str(case.attrs)): case for case in reversed(COMPUTED)}


RUN = [
    pytest.param(case, dtype, id=f"{number}-{case.name}-{dtype and dtype.name}")
    for number, case in enumerate(CASES)
    for dtype in dtypes(case)
    if not REGISTRY[case.name].traits.random and case.name not in NOT_COMPILED
]
RUN += [
    pytest.param(quartered(case) if dtype.is_floating else case, dtype, id=case.name)
    for case in ONCE.values()
    for dtype in dtypes(case)[:1]
    if case.name not in UNLIKE
]


@pytest.mark.parametrize(("case", "dtype"), RUN)
def test_an_operation_of_stacked_replicas(case, dtype):
    definition = REGISTRY[case.name]
    inputs = inputs_of(case, dtype) if case.data else list(map(np.asarray, case.inputs))
    rule = rules.RULES.get(case.name) or definition.meaning
    assert rule is not None and definition.kernel is not None
    # What decides shapes is known; of the rest each replica has its own.
    stacked = [k for k in case.data if k == 0 or inputs[k].size > 1]
    if case.name in ("Range", "Fill", "OneHot", "ScatterNd"):
        stacked = []
    own = [
        [_turned(x, r) if k in stacked else x for k, x in enumerate(inputs)]
        for r in range(REPLICAS)
    ]

    def one(*rows):
        given = list(inputs)
        for k, row in zip(stacked, rows, strict=True):
            given[k] = row
        return tuple(
            map(jax.numpy.asarray, outputs_of(rule(jax.numpy, *given, **case.attrs)))
        )

    with jax.enable_x64(True):
        rows = [np.stack([mine[k] for mine in own]) for k in stacked]
        found = jax.jit(jax.vmap(one) if rows else one)(*rows)
    for replica, mine in enumerate(own):
        expected = outputs_of(definition.kernel(*mine, **case.attrs))
        assert len(expected) == len(found)
        for ours, theirs in zip(expected, found, strict=True):
            got = np.asarray(theirs)[replica] if rows else np.asarray(theirs)
            _compare(got, np.asarray(ours))


def _turned(array, replica):
    """Return the elements in another order, so that positions stay positions."""
    return np.roll(array.reshape(-1), replica).reshape(array.shape)


def _compare(got, expected):
    assert got.shape == expected.shape
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected)
        return
    narrow = expected.dtype.itemsize == 2
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(
        got.astype(wide),
        expected.astype(wide),
        rtol=2e-2 if narrow else 1e-5,
        atol=2e-2 if narrow else 1e-5,
    )


def test_every_operation_has_a_counterpart_or_is_listed():
    lacking = {
        name
        for name in REGISTRY.names()
        if REGISTRY[name].kernel is not None
        and REGISTRY[name].meaning is None
        and name not in rules.RULES
        and not REGISTRY[name].traits.random
        and not REGISTRY[name].traits.printing
    }
    assert lacking == NOT_COMPILED.keys()


def test_rules_and_checks_are_of_operations():
    assert {*rules.RULES, *rules.CHECKS} <= set(REGISTRY.names())
