"""The meanings over another array namespace: JAX's, compiled, beside NumPy's."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from tpuref.engine.ops import elementwise, linear_algebra, reductions
from tpuref.engine.ops.definition import OpDef, outputs_of
from tpuref.engine.ops.registry import REGISTRY

jax = pytest.importorskip("jax", reason="JAX is not installed")
jax.config.update("jax_enable_x64", True)

X = np.array([[0.25, 0.5, 0.75], [0.125, 0.875, 0.625]], np.float32)
Y = np.array([[0.5, 0.25, 0.125], [1.5, 0.75, 0.375]], np.float32)
N = np.array([[3, 1, 6], [2, 7, 5]], np.int32)
B = np.array([[True, False, True], [False, False, True]])
FOLD = {"axis": (1,), "keepdims": True}
ATTRS: dict[str, dict[str, Any]] = {
    "Cast": {"dtype": "int32"},
    "NanToNum": {"nan": 0.0, "high": None, "low": None},
    "IsClose": {"rtol": 1e-5, "atol": 1e-8, "equal_nan": False},
    "Variance": {**FOLD, "ddof": 1},
    "Std": {**FOLD, "ddof": 0},
    "CountNonzero": {**FOLD, "dtype": "int32"},
    "ArgMax": {"axis": 1, "keepdims": False, "output_type": "int32"},
    "ArgMin": {"axis": 0, "keepdims": True, "output_type": "int32"},
    "Cumsum": {"axis": 1, "exclusive": True, "reverse": True},
    "Cumprod": {"axis": None, "exclusive": False, "reverse": False},
    "MatMul": {"transpose_b": True},
    "Tensordot": {"axes_a": (1,), "axes_b": (1,)},
    "Einsum": {"equation": "ij,kj->ik"},
}
"""Operations whose inputs decide the shape, so that they have to be known."""

UNLIKE = {"NextAfter": "rounds denormals away", "Spacing": "is not JAX's"}
"""Operations that XLA computes otherwise, or that JAX does not have."""


def families() -> list[OpDef]:
    found = (elementwise, reductions, linear_algebra)
    return [
        d for f in found for d in f.OPERATIONS if d.meaning and d.name not in UNLIKE
    ]


def agree(definition: OpDef, inputs: list[Any], attrs: Any, data: set[int]) -> None:
    """Compare what NumPy and a compiled function of JAX give; `data` is traced."""

    def meaning(*traced: Any) -> Any:
        given = iter(traced)
        whole = [next(given) if k in data else x for k, x in enumerate(inputs)]
        assert definition.meaning is not None
        return definition.meaning(jax.numpy, *whole, **attrs)

    assert definition.compute is not None
    expected = outputs_of(definition.compute(*inputs, **attrs))
    found = outputs_of(jax.jit(meaning)(*[inputs[k] for k in sorted(data)]))
    assert len(found) == len(expected)
    for ours, theirs in zip(expected, found, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(theirs, ours, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("definition", families(), ids=lambda d: d.name)
def test_arithmetic(definition: OpDef) -> None:
    parameters = inspect.signature(definition.infer).parameters.values()
    count = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters) or 2
    for first, second in ((X, Y), (N, N.T.reshape(2, 3)), (B, ~B), (X, N)):
        inputs = [first, second, Y][:count]
        attrs = ATTRS.get(definition.name)
        if attrs is None:
            attrs = FOLD if "axis" in definition.attributes else {}
        operands = [REGISTRY["Const"].infer(value=value) for value in inputs]
        try:
            definition.infer(*operands, **attrs)
        except TypeError:
            continue
        agree(definition, inputs, attrs, set(range(count)))
        return
    pytest.fail("no inputs fit")
