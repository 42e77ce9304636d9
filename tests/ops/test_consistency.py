"""Of every operation with a meaning: what is inferred is computed.

Each case runs with every dtype that the operation takes, and its rule is asked again
with values, dimensions and ranks hidden, in all combinations.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tpuref.base.dtypes import as_dtype, float32, string
from tpuref.base.shapes import TensorShape
from tpuref.engine.ops import (
    elementwise,
    images,
    indexing,
    linear_algebra,
    neural,
    random,
    reductions,
    sorting,
    tensor_arrays,
)
from tpuref.engine.ops.broadcasting import (
    ANY,
    BOOL,
    FLOATING,
    INDEX,
    INEXACT,
    INTEGER,
    NUMERIC,
    NUMERIC_OR_BOOL,
    REAL,
    REAL_OR_TEXT,
    Kind,
)
from tpuref.engine.ops.definition import outputs_of
from tpuref.engine.ops.elementwise import INTEGER_OR_BOOL, SIGNED_OR_COMPLEX
from tpuref.engine.ops.reductions import REAL_OR_BOOL
from tpuref.engine.ops.registry import ARRAYS, REGISTRY

from ..differentiation.cases import (
    BACK,
    BOOLS,
    HOLES,
    KERNEL,
    NCHW,
    NHWC,
    POOL,
    POOL_SAME,
    REST,
    SIZES,
    WIDE,
    WINDOW,
    key,
)
from .records import infer, ints, known, scalar

COMPUTING = (elementwise, reductions, linear_algebra)
FLOAT32 = Kind("float32", (float32,))
NOT_TEXT = Kind("all but text", tuple(d for d in ANY.dtypes if d != string))
TEXT = np.array([[b"a", b"bc", b""], [b"d", b"e", b"f"]], object)


@dataclass(frozen=True)
class Case:
    """An operation with inputs, those at `data` in turn of every dtype of `kind`."""

    name: str
    inputs: list[Any]
    attrs: dict[str, Any] = field(default_factory=dict)
    kind: Kind = ANY
    data: tuple[int, ...] = (0,)
    exact: str = "values"
    """What must be known for an exact shape: values, shapes, or nothing would do."""


MATRIX = np.array([[3, 1, 2], [1, 0, 1]])
CUBE = np.arange(24).reshape(2, 3, 4) % 5
IMAGES = np.arange(2 * 5 * 4 * 3).reshape(2, 5, 4, 3) % 7
FILTER = np.arange(2 * 3 * 3 * 2).reshape(2, 3, 3, 2) % 3
ROWS = np.array([True, False])
EMPTY = np.zeros((0, 3))
SEED = {"seed": (1, 2)}


BOTH = {"kind": FLOATING, "data": (0, 1)}
"""Two inputs of one floating-point type."""
FRONT = {"kind": FLOATING, "data": (1, 2)}
ENDS = {"kind": FLOATING, "data": (0, 2)}
NARROW = np.arange(2 * 3 * 4 * 2).reshape(2, 3, 4, 2) % 3
DEEP = np.arange(2 * 3 * 4 * 6).reshape(2, 3, 4, 6) % 3
CHANNELS_FIRST = np.moveaxis(IMAGES, 3, 1)
FEW = CHANNELS_FIRST[:, :, :2, :2]
SMALL = IMAGES[:, :3, :2]
BLANK = np.zeros((1, *tensor_arrays.BLANK))
ORDERED = np.array([[1, 2, 3], [0, 1, 1]])
RANKS = {"kind": REAL, "data": (0, 1)}
LEFT = {"side": "left", "out_type": "int32"}
RIGHT = {"side": "right", "out_type": "int64"}
HELD, GROWS, DRAWN = (
    {"grows": False},
    {"grows": True},
    {"output_dtype": "int32", **SEED},
)
BY_INPUTS = ("slice", ("input", 0), ("input", 1), None)
CASES = (
    Case("Identity", [MATRIX]),
    Case("StopGradient", [MATRIX]),
    Case("PlaceholderWithDefault", [MATRIX], {"shape": (2, 3)}),
    Case("IdentityN", [MATRIX, CUBE]),
    Case("NoOp", [], data=()),
    Case("Fill", [ints(2, 3), 1], data=(1,)),
    Case("Fill", [ints(), 1], data=(1,)),
    Case("ZerosLike", [MATRIX]),
    Case("ZerosLike", [np.array(5)]),
    Case("OnesLike", [MATRIX], kind=NUMERIC_OR_BOOL),
    Case("OnesLike", [np.array(5)], kind=NUMERIC_OR_BOOL),
    Case("Range", [1, 8, 3], kind=REAL, data=(0, 1, 2)),
    Case("Range", [3, 3, 1], kind=REAL, data=(0, 1, 2)),
    Case("LinSpace", [1, 3, scalar(5)], **BOTH),
    Case("OneHot", [ints(2, 0, -1), scalar(3), 1, 0], {"axis": -1}, data=(2, 3)),
    Case("OneHot", [MATRIX, *map(scalar, (3, 7, 5))], {"axis": 1}, kind=INTEGER),
    Case("Shape", [CUBE], {"out_type": "int32"}),
    Case("Shape", [np.array(3)], {"out_type": "int64"}),
    Case("Size", [CUBE], {"out_type": "int32"}),
    Case("Rank", [CUBE]),
    Case("Reshape", [CUBE, ints(4, -1)]),
    Case("Reshape", [CUBE, ints(4, 6)]),
    Case("Reshape", [np.array(3), ints()]),
    Case("Reshape", [EMPTY, ints(-1, 5)]),
    Case("ExpandDims", [MATRIX], {"axis": -1}),
    Case("ExpandDims", [MATRIX], {"axis": 1}),
    Case("ExpandDims", [np.array(3)], {"axis": 0}),
    Case("Squeeze", [MATRIX[None, :, None]], {"axes": ()}),
    Case("Squeeze", [MATRIX[None, :, None]], {"axes": (-2,)}),
    Case("Transpose", [CUBE], {"perm": None}),
    Case("Transpose", [CUBE], {"perm": (1, 2, 0)}),
    Case("ReverseV2", [CUBE], {"axes": (0, -1)}),
    Case("ReverseV2", [CUBE], {"axes": ()}),
    Case("Roll", [CUBE, ints(1, -2)], {"axes": (0, -1)}),
    Case("Pack", [MATRIX, MATRIX], {"axis": 1}, data=(0, 1)),
    Case("Pack", [3, 4], {"axis": 0}, data=(0, 1)),
    Case("Unpack", [CUBE], {"axis": -1, "num": 4}),
    Case("Unpack", [CUBE[0, 0]], {"axis": 0, "num": 4}),
    Case("Split", [CUBE], {"axis": 2, "sizes": (None, None)}),
    Case("Split", [CUBE], {"axis": -1, "sizes": (1, 0, 3)}),
    Case("Split", [CUBE], {"axis": 0, "sizes": (1, 1)}),
    Case("ConcatV2", [MATRIX, MATRIX[:1]], {"axis": 0}, data=(0, 1)),
    Case("ConcatV2", [MATRIX, MATRIX], {"axis": -1}, data=(0, 1)),
    Case("ConcatV2", [EMPTY], {"axis": 0}),
    Case("Tile", [MATRIX, ints(2, 0)]),
    Case("Tile", [MATRIX, ints(1, 3)]),
    Case("Tile", [np.array(3), ints()]),
    Case("Repeat", [MATRIX, scalar(2)], {"axis": 1}),
    Case("Repeat", [MATRIX, ints(3, 0, 1)], {"axis": -1}),
    Case("Repeat", [MATRIX, ints(3)], {"axis": 0}),
    Case("BroadcastTo", [MATRIX[:, :1], ints(4, 2, 3)]),
    Case("BroadcastTo", [np.array(2), ints(2, 0)]),
    Case("SumToShape", [CUBE, ints(3, 1)], kind=NUMERIC),
    Case("SumToShape", [MATRIX, ints()], kind=NUMERIC),
    Case("PadV2", [MATRIX, ints((1, 0), (0, 2)), 1], data=(0, 2)),
    Case("MirrorPad", [MATRIX, ints((1, 0), (2, 1))], {"mode": "REFLECT"}),
    Case("MirrorPad", [MATRIX, ints((2, 0), (3, 1))], {"mode": "SYMMETRIC"}),
    Case("MatrixDiag", [MATRIX]),
    Case("MatrixDiag", [MATRIX[0]]),
    Case("MatrixDiagPart", [CUBE]),
    Case("MatrixBandPart", [CUBE, scalar(0), scalar(-1)], kind=NUMERIC_OR_BOOL),
    Case("Select", [BOOLS, MATRIX, MATRIX + 1], data=(1, 2)),
    Case("Select", [ROWS, MATRIX, MATRIX + 1], data=(1, 2)),
    Case("Select", [np.array(True), MATRIX, MATRIX + 1], data=(1, 2)),
    Case("SelectV2", [BOOLS, MATRIX[0], np.array(3)], data=(1, 2)),
    Case("SelectV2", [BOOLS[:, :1], MATRIX, MATRIX[0]], data=(1, 2)),
    Case("Where", [MATRIX], kind=NUMERIC_OR_BOOL, exact=""),
    Case("Where", [np.array(1)], kind=NUMERIC_OR_BOOL, exact=""),
    Case("StridedSlice", [CUBE], key(("index", -1))),
    Case("StridedSlice", [CUBE], key(*[("index", 1)] * 3)),
    Case("StridedSlice", [CUBE], key(BACK, ("newaxis",), REST, ("slice", 1, 9, 2))),
    Case("StridedSlice", [CUBE, scalar(1), np.array(-1)], key(REST, BY_INPUTS)),
    Case("StridedSlice", [CUBE, scalar(-2)], key(("index", ("input", 0)))),
    Case("Slice", [CUBE, ints(0, 1, 2), ints(-1, 2, 0)]),
    Case("Slice", [np.array(3), ints(), ints()]),
    Case("GatherV2", [CUBE, ints((0, 2), (1, 1))], {"axis": 1, "batch_dims": 0}),
    Case("GatherV2", [CUBE, ints((0, 2), (1, 1))], {"axis": 1, "batch_dims": 1}),
    Case("GatherV2", [CUBE, ints((0, 3), (1, 1))], {"axis": -1, "batch_dims": 1}),
    Case("GatherV2", [CUBE, scalar(0)], {"axis": 0, "batch_dims": 0}),
    Case("TakeAlongAxis", [MATRIX, ints((0, -1), (2, 1))], {"axis": -1}),
    Case("TakeAlongAxis", [MATRIX, ints((0, 1, 0))], {"axis": 0}),
    Case("GatherNd", [CUBE, ints((0, 2), (1, 1))], {"batch_dims": 0}),
    Case("GatherNd", [CUBE, ints(1)], {"batch_dims": 0}),
    Case("GatherNd", [CUBE, np.zeros((2, 0), np.int32)], {"batch_dims": 0}),
    Case("GatherNd", [CUBE, ints((0, 2), (1, 1))], {"batch_dims": 1}),
    Case(
        "ScatterNd",
        [ints((1,), (1,)), MATRIX, ints(4, 3)],
        kind=NUMERIC_OR_BOOL,
        data=(1,),
    ),
    Case("TensorScatterUpdate", [MATRIX, ints((1, 0)), [7]], data=(0, 2)),
    Case("TensorScatterAdd", [MATRIX, ints((1, 0)), [7]], kind=NUMERIC, data=(0, 2)),
    Case("TensorScatterMax", [MATRIX, ints((1, 0)), [7]], kind=NUMERIC, data=(0, 2)),
    Case("TensorScatterMin", [MATRIX, ints((1, 0)), [1]], kind=NUMERIC, data=(0, 2)),
    Case("TensorScatterSub", [MATRIX, ints((1, 0)), [1]], kind=NUMERIC, data=(0, 2)),
    Case("TensorArrayRead", [CUBE, ints(1, 0, 1)]),
    Case("TensorArrayRead", [CUBE, scalar(1)]),
    Case("TensorArrayWrite", [MATRIX, ints(1, 0), MATRIX], HELD, data=(0, 2)),
    Case("TensorArrayWrite", [BLANK, scalar(2), MATRIX], GROWS, ANY, (0, 2), ""),
    Case("Sort", [CUBE], {"axis": 1, "descending": False}, kind=REAL),
    Case("Sort", [CUBE], {"axis": -1, "descending": True}, kind=REAL),
    Case("ArgSort", [CUBE], {"axis": 0, "descending": False}, kind=REAL),
    Case("ArgSort", [CUBE], {"axis": -1, "descending": True}, kind=REAL),
    Case("TopKV2", [CUBE, scalar(2)], kind=REAL),
    Case("TopKV2", [MATRIX[0], scalar(0)], kind=REAL),
    Case("Unique", [MATRIX[0]], kind=REAL_OR_TEXT, exact=""),
    Case("Unique", [CUBE.reshape(-1)], kind=REAL_OR_TEXT, exact=""),
    Case("InTopKV2", [MATRIX, ints(0, 2), scalar(1)], kind=FLOAT32),
    Case("SearchSorted", [ORDERED, MATRIX[:, :2]], LEFT, **RANKS),
    Case("SearchSorted", [ORDERED[0], np.array([3, 0])], RIGHT, **RANKS),
    Case("Relu", [MATRIX], kind=REAL),
    Case("ReluGrad", [MATRIX, MATRIX[::-1]], kind=REAL, data=(0, 1)),
    Case("Relu6", [CUBE], kind=REAL),
    Case("LeakyRelu", [MATRIX], {"alpha": 0.2}, kind=FLOATING),
    Case("Elu", [MATRIX], kind=FLOATING),
    Case("Selu", [np.array(2)], kind=FLOATING),
    Case("Sigmoid", [MATRIX], kind=INEXACT),
    Case("Softplus", [np.array(2)], kind=FLOATING),
    Case("Softsign", [MATRIX], kind=FLOATING),
    Case("Softmax", [CUBE], {"axis": 1}, kind=FLOATING),
    Case("Softmax", [np.zeros((2, 0))], {"axis": -1}, kind=FLOATING),
    Case("LogSoftmax", [CUBE], {"axis": -1}, kind=FLOATING),
    Case("SoftmaxCrossEntropyWithLogits", [CUBE, CUBE[:1]], {"axis": 1}, **BOTH),
    Case("SparseSoftmaxCrossEntropyWithLogits", [MATRIX, ints(0, 2)], kind=FLOATING),
    Case("SigmoidCrossEntropyWithLogits", [MATRIX, MATRIX], **BOTH),
    Case("L2Loss", [MATRIX], kind=FLOATING),
    Case("L2Normalize", [CUBE], {"axes": (0, -1), "epsilon": 0.1}, kind=FLOATING),
    Case("L2Normalize", [CUBE], {"axes": None, "epsilon": 0.1}, kind=FLOATING),
    Case("BiasAdd", [CUBE, CUBE[0, 0]], NHWC, kind=NUMERIC, data=(0, 1)),
    Case("BiasAdd", [CUBE, CUBE[0, :, 0]], NCHW, kind=NUMERIC, data=(0, 1)),
    Case("Conv2D", [IMAGES, FILTER], {**WINDOW, **NHWC}, **BOTH),
    Case("Conv2D", [IMAGES, FILTER], {**WIDE, **NHWC}, **BOTH),
    Case("Conv2D", [IMAGES, FILTER], {**HOLES, **NHWC}, **BOTH),
    Case("Conv2D", [CHANNELS_FIRST, FILTER], {**WIDE, **NCHW}, **BOTH),
    Case("DepthwiseConv2dNative", [IMAGES, FILTER], {**WINDOW, **NHWC}, **BOTH),
    Case("DepthwiseConv2dNative", [CHANNELS_FIRST, FILTER], {**HOLES, **NCHW}, **BOTH),
    Case("MaxPool", [IMAGES], {**POOL, **NHWC}, kind=REAL),
    Case("MaxPool", [IMAGES], {**POOL_SAME, **NCHW}, kind=REAL),
    Case("AvgPool", [IMAGES], {**POOL, **NCHW}, kind=FLOATING),
    Case("AvgPool", [IMAGES], {**POOL_SAME, **NHWC}, kind=FLOATING),
    Case("Conv2DBackpropInput", [SIZES, FILTER, NARROW], {**WIDE, **NHWC}, **FRONT),
    Case("Conv2DBackpropFilter", [IMAGES, KERNEL, NARROW], {**WIDE, **NHWC}, **ENDS),
    *(
        Case(f"DepthwiseConv2dNativeBackprop{what}", inputs, {**WIDE, **NHWC}, **kinds)
        for what, inputs, kinds in (
            ("Input", [SIZES, FILTER, DEEP], FRONT),
            ("Filter", [IMAGES, KERNEL, DEEP], ENDS),
        )
    ),
    Case("MaxPoolGrad", [IMAGES, SMALL], {**POOL_SAME, **NHWC}, **RANKS),
    Case("MaxPoolGrad", [CHANNELS_FIRST, FEW], {**POOL, **NCHW}, **RANKS),
    Case("MaxPoolPositions", [IMAGES], {**POOL, **NHWC}, kind=REAL),
    Case("MaxPoolPositions", [IMAGES], {**POOL_SAME, **NCHW}, kind=REAL),
    Case("AvgPoolGrad", [SIZES, SMALL], {**POOL_SAME, **NHWC}, FLOATING, (1,)),
    Case("RandomUniformInt", [ints(2, 3), 1, 4], SEED, kind=INDEX, data=(1, 2)),
    Case("RandomShuffle", [MATRIX], SEED),
    Case("RandomShuffle", [np.array(3)], SEED),
    Case("Multinomial", [MATRIX, scalar(4)], DRAWN, kind=FLOATING),
)
WITHOUT_DTYPE = (
    ("Const", [], {"value": MATRIX}),
    ("Const", [], {"value": TEXT}),
    *(
        (name, [ints(*shape)], {"dtype": dtype.name, **SEED})
        for name in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
        for dtype in FLOATING.dtypes
        for shape in ((2, 3), (), (0, 2))
    ),
)
ONE = (((2, 3),), ((),), ((0, 2),))
TWO = (((2, 3), (3,)), ((), ()), ((2, 1), (1, 3)), ((0, 1), (2,)))
SOLID = (((2, 3, 4),),)
PARTS = Kind("parts", (as_dtype("float32"), as_dtype("float64")))
REDUCED = (
    {"axis": None, "keepdims": False},
    {"axis": None, "keepdims": True},
    {"axis": (0, 2), "keepdims": False},
    {"axis": (-1,), "keepdims": True},
    {"axis": (), "keepdims": False},
)
SCANNED = (
    {"axis": 1, "exclusive": True, "reverse": False},
    {"axis": -1, "exclusive": True, "reverse": True},
    {"axis": None, "exclusive": False, "reverse": True},
)
FOUND = (
    {"axis": 1, "keepdims": False, "output_type": "int64"},
    {"axis": -1, "keepdims": True, "output_type": "int32"},
    {"axis": None, "keepdims": True, "output_type": "int64"},
)
PRODUCTS = (((2, 3), (3, 4)), ((5, 1, 2, 3), (6, 3, 2)), ((3,), (3,)))
PRODUCTS += (((3,), (2, 3, 4)), ((5, 2, 3), (3,)), ((0, 3), (3, 2)))
CONTRACTED = (((1, 2), (1, 0)), ((-1,), (-3,)), ((), ()))
SAMPLES = np.array([1, 2, 3])


def computed(kind, shapes, names, attrs=({},)):
    """Yield cases whose shapes alone decide the shapes of the results."""
    for name, given, own in itertools.product(names.split(), attrs, shapes):
        inputs = [np.resize(SAMPLES, shape) for shape in own]
        yield Case(name, inputs, given, kind, tuple(range(len(own))), "shapes")


def also(attrs, **more):
    return [{**given, **more} for given in attrs]


COMPUTED = (
    *computed(NUMERIC, TWO, "AddV2 Sub Mul RealDiv Pow FloatPower SquaredDifference"),
    *computed(INEXACT, TWO, "DivNoNan"),
    *computed(REAL, TWO, "FloorDiv FloorMod TruncateMod DivMod Maximum Minimum Fmax"),
    *computed(REAL, TWO, "Fmin Less LessEqual Greater GreaterEqual"),
    *computed(INTEGER, TWO, "Gcd Lcm LeftShift RightShift"),
    *computed(FLOATING, TWO, "Copysign NextAfter Heaviside Hypot LogAddExp LogAddExp2"),
    *computed(FLOATING, TWO, "Atan2"),
    *computed(PARTS, TWO, "Complex"),
    *computed(ANY, TWO, "Equal NotEqual"),
    *computed(BOOL, TWO, "LogicalAnd LogicalOr LogicalXor"),
    *computed(INTEGER_OR_BOOL, TWO, "BitwiseAnd BitwiseOr BitwiseXor"),
    *computed(NUMERIC, (((2, 3),) * 3, ((),), ((0,), (0,))), "AddN"),
    *computed(REAL, (((2, 3), (), (3,)), ((), (), ())), "ClipByValue"),
    *computed(NUMERIC, ONE, "Positive Abs Sign Square Round Real Imag Conj"),
    *computed(SIGNED_OR_COMPLEX, ONE, "Neg"),
    *computed(FLOATING, ONE, "Fabs Rint Floor Ceil Trunc Modf Frexp Spacing Cbrt Erf"),
    *computed(FLOATING, ONE, "Erfc Erfinv Lgamma Digamma Degrees Radians Signbit"),
    *computed(
        INEXACT, ONE, "Reciprocal Sqrt Rsqrt Exp Exp2 Expm1 Log Log2 Log10 Log1p"
    ),
    *computed(INEXACT, ONE, "Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh"),
    *computed(INEXACT, ONE, "Atanh Angle IsNan IsInf IsFinite"),
    *computed(BOOL, ONE, "LogicalNot"),
    *computed(INTEGER_OR_BOOL, ONE, "Invert"),
    *computed(FLOATING, ONE, "NanToNum", [{"nan": 0.0, "high": None, "low": -1.0}]),
    *computed(NUMERIC, TWO, "IsClose", [{"rtol": 0.1, "atol": 0.0, "equal_nan": True}]),
    *computed(
        NOT_TEXT, ONE, "Cast", [{"dtype": dtype.name} for dtype in NOT_TEXT.dtypes]
    ),
    *computed(NUMERIC, SOLID, "Sum Mean Prod", REDUCED),
    *computed(REAL, SOLID, "Max Min", REDUCED),
    *computed(BOOL, SOLID, "Any All", REDUCED),
    *computed(INEXACT, SOLID, "Variance", also(REDUCED, ddof=0)),
    *computed(INEXACT, SOLID, "Std", also(REDUCED, ddof=1)),
    *computed(FLOATING, SOLID, "EuclideanNorm LogSumExp", REDUCED),
    *computed(NUMERIC_OR_BOOL, SOLID, "CountNonzero", also(REDUCED, dtype="int32")),
    *computed(REAL_OR_BOOL, SOLID, "ArgMax ArgMin", FOUND),
    *computed(NUMERIC, SOLID, "Cumsum Cumprod", SCANNED),
    *computed(NUMERIC, PRODUCTS, "MatMul"),
    *computed(
        *(NUMERIC, [[(3, 2), (4, 3)]], "MatMul"),
        [{"transpose_a": True, "adjoint_b": True}],
    ),
    *computed(
        *(NUMERIC, [[(2, 3, 4), (4, 3, 5)]], "Tensordot"),
        [{"axes_a": a, "axes_b": b} for a, b in CONTRACTED],
    ),
    *computed(
        *(NUMERIC, [[(2, 3), (3, 4)]], "Einsum"),
        [{"equation": e} for e in ("ij,jk->ki", "ij,jk", "ij,kl->", "...j,jk->...k")],
    ),
    *computed(NUMERIC, [[(5, 3, 3)]], "Einsum", [{"equation": "...ii->...i"}]),
    *computed(NUMERIC, SOLID, "Trace", [{"offset": 1, "axis1": 0, "axis2": 1}]),
    *computed(NUMERIC, SOLID, "Trace", [{"offset": 0, "axis1": -2, "axis2": -1}]),
    *computed(FLOATING, [[(3, 2)], [(2, 2)], [(2, 0)]], "Orthonormal"),
    Case("Ldexp", [MATRIX, scalar(2)], {}, FLOATING, exact="shapes"),
    Case("Ldexp", [EMPTY, ints(1, 2, 3)], {}, FLOATING, exact="shapes"),
)


def as_input(value, dtype):
    if dtype == string:
        texts = np.empty(np.shape(value), object)
        texts[...] = np.vectorize(lambda n: b"%d" % n, otypes=[object])(value)
        return texts
    return np.asarray(value).astype(dtype.np)


def inputs_of(case, dtype):
    return [
        as_input(value, dtype) if k in case.data else np.asarray(value)
        for k, value in enumerate(case.inputs)
    ]


def views(array):
    """What may be known: all, the shape, some sizes, the rank, nothing."""
    dtype = string if array.dtype == object else as_dtype(array.dtype)
    shape = array.shape
    return [
        known(shape, dtype, array),
        known(shape, dtype),
        known([None, *shape[1:]] if shape else shape, dtype),
        known([None] * len(shape), dtype),
        known(None, dtype),
    ]


def check(definition, inputs, attrs, exact="values"):
    """Compare results with all that is inferred of them; no input may change."""
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    rng = {"rng": np.random.default_rng(1)} if definition.traits.random else {}
    computed = outputs_of(definition.kernel(*inputs, **attrs, **rng))
    for given in itertools.product(*map(views, inputs)):
        inferred = outputs_of(definition.infer(*given, **attrs))
        full = all(
            operand.shape.is_fully_defined()
            if exact == "shapes"
            else operand.value is not None
            for operand in given
        )
        for spec, array in zip(inferred, computed, strict=True):
            assert isinstance(array, np.ndarray)
            assert spec.dtype.np == array.dtype
            assert spec.shape.is_compatible_with(array.shape), (given, spec)
            if exact and full:
                assert spec.shape == TensorShape(array.shape), (given, spec)
    for array, kept in zip(inputs, before, strict=True):
        assert array.tobytes() == kept.tobytes()


BY_NAME: dict[str, list[Case]] = {}
for case in (*CASES, *COMPUTED):
    BY_NAME.setdefault(case.name, []).append(case)


@pytest.mark.parametrize("name", BY_NAME)
def test_what_is_inferred_is_computed(name):
    for case in BY_NAME[name]:
        for dtype in case.kind.dtypes if case.data else (float32,):
            check(REGISTRY[name], inputs_of(case, dtype), case.attrs, case.exact)


@pytest.mark.parametrize(("name", "inputs", "attrs"), WITHOUT_DTYPE)
def test_what_is_inferred_without_input_dtypes_is_computed(name, inputs, attrs):
    check(REGISTRY[name], inputs, attrs)


@pytest.mark.parametrize("name", BY_NAME)
def test_other_dtypes_are_refused_with_the_operand_shown(name):
    case = BY_NAME[name][0]
    for dtype in set(ANY.dtypes) - set(case.kind.dtypes):
        given = [views(array)[1] for array in inputs_of(case, dtype)]
        with pytest.raises(TypeError, match=rf"\b{dtype.name}\["):
            infer(name, *given, **case.attrs)


@pytest.mark.parametrize("name", BY_NAME)
def test_two_dtypes_are_refused_with_both_shown(name):
    case = BY_NAME[name][0]
    if len(case.data) < 2:
        return
    first = case.kind.dtypes[0]
    second = next(d for d in (*reversed(case.kind.dtypes), string) if d != first)
    inputs, last = inputs_of(case, first), case.data[-1]
    inputs[last] = as_input(case.inputs[last], second)
    with pytest.raises(TypeError) as failure:
        infer(name, *[views(array)[1] for array in inputs], **case.attrs)
    assert second.name in str(failure.value)
    assert first.name in str(failure.value) or second == string


def test_every_operation_has_a_case():
    families = (*COMPUTING, indexing, tensor_arrays, sorting, neural, images, random)
    operations = [*ARRAYS, *(d for family in families for d in family.OPERATIONS)]
    covered = {*BY_NAME, *(name for name, _, _ in WITHOUT_DTYPE)}
    assert {d.name for d in operations} == covered | {
        d.name for d in operations if d.traits.fed
    }


def test_a_placeholder_has_the_spec_it_is_given():
    spec = infer("Placeholder", dtype="int8", shape=(None, 2))
    assert spec.dtype.name == "int8" and spec.shape.as_list() == [None, 2]
    assert REGISTRY["Placeholder"].kernel is None
