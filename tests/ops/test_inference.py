"""For every elementwise, reducing and linear operation: what is inferred is computed.

Each case runs with every dtype that the operation takes, and its rule is asked again
with dimensions, and then the rank, hidden.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tpuref.base.dtypes import DTYPES, DType, as_dtype, int32, string
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.engine.ops import elementwise, linear_algebra, reductions
from tpuref.engine.ops.broadcasting import (
    ANY,
    BOOL,
    FLOATING,
    INEXACT,
    INTEGER,
    NUMERIC,
    NUMERIC_OR_BOOL,
    REAL,
    Kind,
)
from tpuref.engine.ops.definition import OpDef, Operand, outputs_of
from tpuref.engine.ops.elementwise import INTEGER_OR_BOOL, SIGNED_OR_COMPLEX
from tpuref.engine.ops.reductions import REAL_OR_BOOL

OPERATIONS = {
    definition.name: definition
    for family in (elementwise, reductions, linear_algebra)
    for definition in family.OPERATIONS
}

ONE = (((2, 3),), ((),), ((0, 2),))
TWO = (((2, 3), (3,)), ((), ()), ((2, 1), (1, 3)), ((0, 1), (2,)))
AXES = (
    {"axis": None, "keepdims": False},
    {"axis": None, "keepdims": True},
    {"axis": (0, 2), "keepdims": False},
    {"axis": (-1,), "keepdims": True},
    {"axis": (), "keepdims": False},
)
CUBE = (((2, 3, 4),),)


@dataclass(frozen=True)
class Case:
    name: str
    kind: Kind
    shapes: tuple[tuple[tuple[int, ...], ...], ...]
    attrs: tuple[dict[str, Any], ...] = ({},)
    fixed: dict[int, DType] = field(default_factory=dict)


NUMERIC_OR_BOOL_CAST = Kind("all but text", NUMERIC_OR_BOOL.dtypes)
PARTS = Kind("parts", (as_dtype("float32"), as_dtype("float64")))

CASES = (
    Case("AddV2", NUMERIC, TWO),
    Case("Sub", NUMERIC, TWO),
    Case("Mul", NUMERIC, TWO),
    Case("RealDiv", NUMERIC, TWO),
    Case("DivNoNan", INEXACT, TWO),
    Case("FloorDiv", REAL, TWO),
    Case("FloorMod", REAL, TWO),
    Case("TruncateMod", REAL, TWO),
    Case("DivMod", REAL, TWO),
    Case("Pow", NUMERIC, TWO),
    Case("FloatPower", NUMERIC, TWO),
    Case("SquaredDifference", NUMERIC, TWO),
    Case("Maximum", REAL, TWO),
    Case("Minimum", REAL, TWO),
    Case("Fmax", REAL, TWO),
    Case("Fmin", REAL, TWO),
    Case("Gcd", INTEGER, TWO),
    Case("Lcm", INTEGER, TWO),
    Case("AddN", NUMERIC, (((2, 3), (2, 3), (2, 3)), ((),), ((0,), (0,)))),
    Case("ClipByValue", REAL, (((2, 3), (), (3,)), ((), (), ()))),
    Case("Positive", NUMERIC, ONE),
    Case("Neg", SIGNED_OR_COMPLEX, ONE),
    Case("Abs", NUMERIC, ONE),
    Case("Fabs", FLOATING, ONE),
    Case("Sign", NUMERIC, ONE),
    Case("Square", NUMERIC, ONE),
    Case("Reciprocal", INEXACT, ONE),
    Case("Round", NUMERIC, ONE),
    Case("Rint", FLOATING, ONE),
    Case("Floor", FLOATING, ONE),
    Case("Ceil", FLOATING, ONE),
    Case("Trunc", FLOATING, ONE),
    Case("Modf", FLOATING, ONE),
    Case("Frexp", FLOATING, ONE),
    Case("Ldexp", FLOATING, TWO, fixed={1: int32}),
    Case("Copysign", FLOATING, TWO),
    Case("NextAfter", FLOATING, TWO),
    Case("Spacing", FLOATING, ONE),
    Case("Heaviside", FLOATING, TWO),
    Case("Sqrt", INEXACT, ONE),
    Case("Rsqrt", INEXACT, ONE),
    Case("Cbrt", FLOATING, ONE),
    Case("Hypot", FLOATING, TWO),
    Case("Exp", INEXACT, ONE),
    Case("Exp2", INEXACT, ONE),
    Case("Expm1", INEXACT, ONE),
    Case("Log", INEXACT, ONE),
    Case("Log2", INEXACT, ONE),
    Case("Log10", INEXACT, ONE),
    Case("Log1p", INEXACT, ONE),
    Case("LogAddExp", FLOATING, TWO),
    Case("LogAddExp2", FLOATING, TWO),
    Case("Erf", FLOATING, ONE),
    Case("Erfc", FLOATING, ONE),
    Case("Lgamma", FLOATING, ONE),
    Case("Digamma", FLOATING, ONE),
    Case("Sin", INEXACT, ONE),
    Case("Cos", INEXACT, ONE),
    Case("Tan", INEXACT, ONE),
    Case("Asin", INEXACT, ONE),
    Case("Acos", INEXACT, ONE),
    Case("Atan", INEXACT, ONE),
    Case("Atan2", FLOATING, TWO),
    Case("Sinh", INEXACT, ONE),
    Case("Cosh", INEXACT, ONE),
    Case("Tanh", INEXACT, ONE),
    Case("Asinh", INEXACT, ONE),
    Case("Acosh", INEXACT, ONE),
    Case("Atanh", INEXACT, ONE),
    Case("Degrees", FLOATING, ONE),
    Case("Radians", FLOATING, ONE),
    Case("Complex", PARTS, TWO),
    Case("Real", NUMERIC, ONE),
    Case("Imag", NUMERIC, ONE),
    Case("Conj", NUMERIC, ONE),
    Case("Angle", INEXACT, ONE),
    Case("Equal", ANY, TWO),
    Case("NotEqual", ANY, TWO),
    Case("Less", REAL, TWO),
    Case("LessEqual", REAL, TWO),
    Case("Greater", REAL, TWO),
    Case("GreaterEqual", REAL, TWO),
    Case("IsClose", NUMERIC, TWO, ({"rtol": 0.1, "atol": 0.0, "equal_nan": True},)),
    Case("LogicalAnd", BOOL, TWO),
    Case("LogicalOr", BOOL, TWO),
    Case("LogicalXor", BOOL, TWO),
    Case("LogicalNot", BOOL, ONE),
    Case("BitwiseAnd", INTEGER_OR_BOOL, TWO),
    Case("BitwiseOr", INTEGER_OR_BOOL, TWO),
    Case("BitwiseXor", INTEGER_OR_BOOL, TWO),
    Case("Invert", INTEGER_OR_BOOL, ONE),
    Case("LeftShift", INTEGER, TWO),
    Case("RightShift", INTEGER, TWO),
    Case("IsNan", INEXACT, ONE),
    Case("IsInf", INEXACT, ONE),
    Case("IsFinite", INEXACT, ONE),
    Case("Signbit", FLOATING, ONE),
    Case("NanToNum", FLOATING, ONE, ({"nan": 0.0, "high": None, "low": -1.0},)),
    Case(
        "Cast",
        NUMERIC_OR_BOOL_CAST,
        ONE,
        tuple({"dtype": dtype.name} for dtype in DTYPES if dtype != string),
    ),
    Case("Sum", NUMERIC, CUBE, AXES),
    Case("Mean", NUMERIC, CUBE, AXES),
    Case("Prod", NUMERIC, CUBE, AXES),
    Case("Max", REAL, CUBE, AXES),
    Case("Min", REAL, CUBE, AXES),
    Case("Any", BOOL, CUBE, AXES),
    Case("All", BOOL, CUBE, AXES),
    Case("Variance", INEXACT, CUBE, tuple({**axes, "ddof": 0} for axes in AXES)),
    Case("Std", INEXACT, CUBE, tuple({**axes, "ddof": 1} for axes in AXES)),
    Case("EuclideanNorm", FLOATING, CUBE, AXES),
    Case("LogSumExp", FLOATING, CUBE, AXES),
    Case(
        "CountNonzero",
        NUMERIC_OR_BOOL,
        CUBE,
        tuple({**axes, "dtype": "int32"} for axes in AXES),
    ),
    Case(
        "ArgMax",
        REAL_OR_BOOL,
        CUBE,
        (
            {"axis": 1, "keepdims": False, "output_type": "int64"},
            {"axis": -1, "keepdims": True, "output_type": "int32"},
            {"axis": None, "keepdims": False, "output_type": "int64"},
        ),
    ),
    Case(
        "ArgMin",
        REAL_OR_BOOL,
        CUBE,
        (
            {"axis": 1, "keepdims": False, "output_type": "int64"},
            {"axis": None, "keepdims": True, "output_type": "int32"},
        ),
    ),
    Case(
        "Cumsum",
        NUMERIC,
        CUBE,
        (
            {"axis": 1, "exclusive": False, "reverse": False},
            {"axis": -1, "exclusive": True, "reverse": True},
            {"axis": None, "exclusive": False, "reverse": True},
        ),
    ),
    Case(
        "Cumprod",
        NUMERIC,
        CUBE,
        (
            {"axis": 1, "exclusive": True, "reverse": False},
            {"axis": None, "exclusive": False, "reverse": False},
        ),
    ),
    Case(
        "MatMul",
        NUMERIC,
        (
            ((2, 3), (3, 4)),
            ((5, 1, 2, 3), (6, 3, 2)),
            ((3,), (3,)),
            ((3,), (2, 3, 4)),
            ((5, 2, 3), (3,)),
            ((0, 3), (3, 2)),
        ),
    ),
    Case(
        "MatMul",
        NUMERIC,
        (((3, 2), (4, 3)),),
        ({"transpose_a": True, "adjoint_b": True},),
    ),
    Case(
        "Tensordot",
        NUMERIC,
        (((2, 3, 4), (4, 3, 5)),),
        (
            {"axes_a": (1, 2), "axes_b": (1, 0)},
            {"axes_a": (-1,), "axes_b": (-3,)},
            {"axes_a": (), "axes_b": ()},
        ),
    ),
    Case(
        "Einsum",
        NUMERIC,
        (((2, 3), (3, 4)),),
        (
            {"equation": "ij,jk->ki"},
            {"equation": "ij,jk"},
            {"equation": "ij,kl->"},
            {"equation": "...j,jk->...k"},
        ),
    ),
    Case("Einsum", NUMERIC, (((5, 3, 3),),), ({"equation": "...ii->...i"},)),
    Case(
        "Trace",
        NUMERIC,
        CUBE,
        (
            {"offset": 1, "axis1": 0, "axis2": 1},
            {"offset": 0, "axis1": -2, "axis2": -1},
        ),
    ),
    Case("Orthonormal", FLOATING, (((3, 2),), ((2, 2),), ((2, 0),))),
)


def sample(shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    count = int(np.prod(shape))
    if dtype == string:
        texts = [b"one", b"two", b"three"]
        values = np.empty(count, object)
        values[:] = [texts[k % 3] for k in range(count)]
        return values.reshape(shape)
    return (np.arange(count) % 3 + 1).astype(dtype.np).reshape(shape)


def samples(case: Case, shapes: tuple[tuple[int, ...], ...], dtype: DType) -> list:
    return [sample(shape, case.fixed.get(k, dtype)) for k, shape in enumerate(shapes)]


def hidden(shapes: tuple[tuple[int, ...], ...]) -> list[list[TensorShape]]:
    """The same shapes with the first, every or no dimension and with no rank known."""
    return [
        [TensorShape([None, *shape[1:]] if shape else shape) for shape in shapes],
        [unknown_shape(len(shape)) for shape in shapes],
        [unknown_shape() for _ in shapes],
        [unknown_shape(), *map(TensorShape, shapes[1:])],
    ]


def operands(arrays: list, shapes: list[TensorShape]) -> list[Operand]:
    return [
        Operand(shape, string if a.dtype == object else as_dtype(a.dtype))
        for a, shape in zip(arrays, shapes, strict=True)
    ]


def check(definition: OpDef, arrays: list, attrs: dict[str, Any]) -> None:
    assert definition.kernel is not None
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    computed = outputs_of(definition.kernel(*arrays, **attrs))
    full = [TensorShape(array.shape) for array in arrays]
    inferred = outputs_of(definition.infer(*operands(arrays, full), **attrs))
    assert len(inferred) == len(computed)
    for spec, array in zip(inferred, computed, strict=True):
        assert isinstance(array, np.ndarray)
        assert (spec.shape, spec.dtype.np) == (TensorShape(array.shape), array.dtype)
    for shapes in hidden(tuple(array.shape for array in arrays)):
        vague = outputs_of(definition.infer(*operands(arrays, shapes), **attrs))
        for exact, spec in zip(inferred, vague, strict=True):
            assert spec.dtype == exact.dtype
            assert spec.shape.is_compatible_with(exact.shape), (shapes, spec)
    for array, kept in zip(arrays, before, strict=True):
        assert array.tobytes() == kept.tobytes()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_inferred_is_computed(case: Case) -> None:
    definition = OPERATIONS[case.name]
    for dtype in case.kind.dtypes:
        for shapes in case.shapes:
            for attrs in case.attrs:
                check(definition, samples(case, shapes, dtype), attrs)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_other_dtypes_are_refused_with_the_operand_shown(case: Case) -> None:
    for dtype in set(DTYPES) - set(case.kind.dtypes):
        arrays = samples(case, case.shapes[0], dtype)
        given = operands(arrays, [TensorShape(array.shape) for array in arrays])
        with pytest.raises(TypeError, match=rf"\b{dtype.name}\["):
            OPERATIONS[case.name].infer(*given, **case.attrs[0])


@pytest.mark.parametrize(
    "case", [c for c in CASES if len(c.shapes[0]) > 1], ids=lambda case: case.name
)
def test_two_dtypes_are_refused_with_both_shown(case: Case) -> None:
    first = operands(
        samples(case, case.shapes[0], case.kind.dtypes[0]),
        [TensorShape(shape) for shape in case.shapes[0]],
    )
    wrong = string if case.kind.dtypes[0] != string else int32
    mixed = [*first[:-1], Operand(first[-1].shape, wrong)]
    with pytest.raises(TypeError) as failure:
        OPERATIONS[case.name].infer(*mixed, **case.attrs[0])
    assert wrong.name in str(failure.value)


def test_every_operation_has_a_case() -> None:
    assert sorted(OPERATIONS) == sorted({case.name for case in CASES})
