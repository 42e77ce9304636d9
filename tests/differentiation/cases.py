"""A case for each operation with a gradient: inputs at which it is smooth."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ops.records import ints, scalar


@dataclass(frozen=True)
class Case:
    """An operation, its inputs, and those to differentiate by.

    Attributes
    ----------
    smooth
        Whether it has a second derivative there too.
    """

    name: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    by: tuple[int, ...] = (0,)
    smooth: bool = True


def case(name, *inputs, by=(0,), smooth=True, **attrs):
    return Case(name, inputs, attrs, by, smooth)


def both(name, x, y, **attrs):
    return case(name, x, y, by=(0, 1), **attrs)


X = np.array([[0.3, -0.45, 0.7], [-0.8, 0.15, 0.55]])
P = np.abs(X) + 0.1
SQUARE = np.array([[2.0, 0.3, -0.4], [0.5, 1.5, 0.2], [-0.1, 0.6, 1.8]])
ROW = np.array([0.4, -0.6, 0.9])
COLUMN = np.array([[0.35], [-0.75]])
CUBE = np.sin(np.arange(24.0) * 1.7).reshape(2, 3, 4)
IMAGES = np.sin(np.arange(2 * 5 * 4 * 3) * 1.3).reshape(2, 5, 4, 3)
FILTER = np.cos(np.arange(2 * 3 * 3 * 2) * 0.7).reshape(2, 3, 3, 2)
BOOLS = np.array([[True, False, True], [False, False, True]])
LABELS = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
ONE = np.array(0.65)
FOLD = {"axis": (1,), "keepdims": False}
KEPT = {"axis": (0, -1), "keepdims": True}
ALL = {"axis": None, "keepdims": False}
NHWC = {"data_format": "NHWC"}
NCHW = {"data_format": "NCHW"}
WINDOW = {"strides": (1, 1), "padding": "VALID", "dilations": (1, 1)}
WIDE = {"strides": (2, 1), "padding": "SAME", "dilations": (1, 1)}
HOLES = {"strides": (1, 1), "padding": ((1, 2), (0, 1)), "dilations": (2, 1)}
POOL = {"ksize": (2, 3), "strides": (2, 1), "padding": "VALID"}
POOL_SAME = {"ksize": (3, 2), "strides": (2, 3), "padding": "SAME"}
FIRST = np.moveaxis(IMAGES, 3, 1)


BACK, REST = ("slice", None, None, -1), ("ellipsis",)
FROM_INPUT = ("slice", ("input", 0), None, None)
SIZES, KERNEL = ints(2, 5, 4, 3), ints(2, 3, 3, 2)
NARROW = np.cos(np.arange(2 * 3 * 4 * 2)).reshape(2, 3, 4, 2)
DEEP = np.sin(np.arange(2 * 3 * 4 * 6) * 0.9).reshape(2, 3, 4, 6)


def key(*items):
    return {"key": items}


CASES = (
    # Numbers.
    *(
        case(name, X)
        for name in (
            *("Positive", "Neg", "Abs", "Fabs", "Square", "Reciprocal", "Cbrt"),
            *("Exp", "Exp2", "Expm1", "Log1p", "Erf", "Erfc", "Sin", "Cos", "Tan"),
            *("Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Atanh"),
            *("Degrees", "Radians", "Sign", "Real", "Conj", "Identity"),
            *("Relu", "Relu6", "Elu", "Selu", "Sigmoid", "Softplus", "Softsign"),
            "L2Loss",
        )
    ),
    case("PlaceholderWithDefault", X, shape=None),
    *(case(name, P) for name in ("Sqrt", "Rsqrt", "Log", "Log2", "Log10")),
    case("Erfinv", np.array([0.3, -0.7, 0.05])),
    case("Lgamma", np.array([0.3, 1.7, 4.5, -0.6, -2.3]), smooth=False),
    case("Acosh", P + 1),
    *(both(name, X, ROW) for name in ("AddV2", "Sub", "Mul", "SquaredDifference")),
    *(both(name, X, COLUMN) for name in ("RealDiv", "DivNoNan", "LogAddExp")),
    *(both(name, ONE, X) for name in ("LogAddExp2", "Hypot", "Atan2")),
    *(both(name, X, ROW) for name in ("Maximum", "Minimum", "Fmax", "Fmin")),
    both("FloorMod", X, 0.9 * COLUMN),
    both("TruncateMod", 3 * X, 0.9 * COLUMN),
    both("DivMod", 3 * X, 0.9 * COLUMN),
    both("Pow", P, COLUMN),
    both("FloatPower", P, ROW),
    case("AddN", X, P, X, by=(0, 1, 2)),
    case("ClipByValue", X, np.array(-0.5), np.array([0.2, 0.3, 0.6]), by=(0, 1, 2)),
    case("Copysign", X, ROW),
    case("NextAfter", X, ROW),
    case("Ldexp", X, ints(1, -2, 3)),
    case("Modf", 3 * X),
    case("Frexp", 3 * X),
    case("NanToNum", X, nan=0.0, high=None, low=None),
    case("Cast", X, dtype="float64"),
    # Folds.
    *(
        case(name, X, **how)
        for name in ("Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm", "LogSumExp")
        for how in (FOLD, KEPT, ALL)
    ),
    case("Prod", np.array([[0.0, 2, 3], [0.0, 0.0, 1.0]]), **FOLD, smooth=False),
    case("Variance", X, **FOLD, ddof=1),
    case("Std", X, **KEPT, ddof=0),
    case("SumToShape", CUBE, ints(3, 1)),
    case("SumToShape", X, ints()),
    case("Cumsum", X, axis=1, exclusive=True, reverse=False),
    case("Cumsum", X, axis=None, exclusive=False, reverse=True),
    case("Cumprod", X, axis=-1, exclusive=False, reverse=False),
    case("Cumprod", X, axis=None, exclusive=True, reverse=True),
    # Products.
    both("MatMul", X, X.T),
    case("MatrixInverse", SQUARE),
    case("MatrixDeterminant", SQUARE),
    case("LogMatrixDeterminant", SQUARE),
    both("MatrixSolve", SQUARE, X.T),
    both("MatrixSolve", SQUARE, X.T, adjoint=True),
    both("MatrixTriangularSolve", SQUARE, X.T),
    both("MatrixTriangularSolve", SQUARE, X.T, lower=False, adjoint=True),
    both("MatMul", X, X, transpose_b=True),
    both("MatMul", X, P, transpose_a=True),
    both("MatMul", X.T, P, adjoint_a=True, transpose_b=True),
    both("MatMul", CUBE, CUBE[:1, :2], adjoint_b=True),
    both("MatMul", CUBE, CUBE[0, 0]),
    both("MatMul", CUBE[0, :, 0], CUBE),
    both("MatMul", ROW, ROW + 1),
    both("Tensordot", CUBE, X, axes_a=(0, 1), axes_b=(0, 1)),
    both("Tensordot", CUBE, X.T, axes_a=(0, 1), axes_b=(1, 0)),
    both("Tensordot", CUBE, X, axes_a=(-2,), axes_b=(1,)),
    both("Tensordot", ROW, X, axes_a=(), axes_b=()),
    both("Einsum", X, CUBE, equation="ij,ijk->k"),
    both("Einsum", X, CUBE, equation="aj,ijk->ik"),
    both("Einsum", CUBE, X, equation="...jk,ij->...ik"),
    case("Einsum", CUBE, equation="ijk->j"),
    case("Einsum", X, CUBE, ROW, equation="ij,ijk,j->ki", by=(0, 1, 2)),
    case("Trace", X),
    case("Trace", CUBE, offset=1, axis1=2, axis2=0),
    # Arrays.
    case("IdentityN", X, ROW, by=(0, 1)),
    case("Fill", ints(2, 3), ONE, by=(1,)),
    case("Reshape", CUBE, ints(4, -1)),
    case("ExpandDims", X, axis=-1),
    case("Squeeze", X[None, :, None], axes=(0,)),
    case("Transpose", CUBE, perm=None),
    case("Transpose", CUBE, perm=(1, 2, 0)),
    case("ReverseV2", CUBE, axes=(0, -1)),
    case("Roll", CUBE, ints(1, -2), axes=(0, -1)),
    case("Pack", X, P, axis=1, by=(0, 1)),
    case("Pack", X, axis=0),
    case("Unpack", CUBE, axis=-1, num=4),
    case("Split", CUBE, axis=2, sizes=(None, None)),
    case("Split", CUBE, axis=-1, sizes=(1, 0, 3)),
    case("ConcatV2", X, X[:1], axis=0, by=(0, 1)),
    case("ConcatV2", X, axis=-1),
    case("Tile", X, ints(2, 3)),
    case("Repeat", X, ints(3, 0, 1), axis=-1),
    case("BroadcastTo", X[:, :1], ints(4, 2, 3)),
    case("PadV2", X, ints((1, 0), (0, 2)), ONE, by=(0, 2)),
    case("MirrorPad", X, ints((1, 0), (2, 1)), mode="REFLECT"),
    case("MirrorPad", X, ints((2, 0), (3, 1)), mode="SYMMETRIC"),
    case("MatrixDiag", X),
    case("MatrixDiagPart", CUBE),
    case("MatrixBandPart", CUBE, scalar(0), scalar(-1)),
    case("Select", BOOLS, X, P, by=(1, 2)),
    case("Select", BOOLS[0, :2], X, P, by=(1, 2)),
    case("SelectV2", BOOLS, ROW, ONE, by=(1, 2)),
    # Positions and order.
    case("StridedSlice", CUBE, **key(("index", -1))),
    case("StridedSlice", CUBE, **key(BACK, ("newaxis",), REST, ("slice", 1, 9, 2))),
    case("StridedSlice", CUBE, scalar(1), **key(REST, FROM_INPUT)),
    case("Slice", CUBE, ints(0, 1, 2), ints(-1, 2, 1)),
    case("GatherV2", X, ints(1, 1, 0), axis=0, batch_dims=0),
    case("TensorArrayRead", X, ints(1, 1, 0)),
    case("TensorArrayWrite", X, scalar(1), ROW, by=(0, 2), grows=False),
    case("TensorArrayWrite", X, ints(3, 0), X, by=(0, 2), grows=True),
    case("GatherV2", CUBE, ints((0, 2), (1, 1)), axis=1, batch_dims=0),
    case("GatherV2", CUBE, ints((0, 3), (1, 1)), axis=-1, batch_dims=1),
    case("TakeAlongAxis", X, ints((0, -1, 0), (2, 1, 2)), axis=-1),
    case("GatherNd", CUBE, ints((0, 2), (1, 1), (0, 2)), batch_dims=0),
    case("GatherNd", CUBE, ints((0, 2), (1, 1)), batch_dims=1),
    case("ScatterNd", ints((1,), (1,)), X, ints(4, 3), by=(1,)),
    case("TensorScatterUpdate", X, ints((1, 0), (0, 2)), ROW[:2], by=(0, 2)),
    case("TensorScatterAdd", X, ints((1, 0), (1, 0)), ROW[:2], by=(0, 2)),
    case("TensorScatterSub", X, ints((1, 0), (0, 2)), ROW[:2], by=(0, 2)),
    case("TensorScatterMax", X, ints((1, 0), (0, 2)), ROW[:2], by=(0, 2)),
    case("TensorScatterMin", X, ints((1, 0), (0, 2)), ROW[:2], by=(0, 2)),
    case("Sort", CUBE, axis=1, descending=True),
    case("TopKV2", CUBE, scalar(2)),
    # Networks.
    case("LeakyRelu", X, alpha=0.2),
    case("ReluGrad", X, X[:, ::-1]),
    case("Softmax", CUBE, axis=1),
    case("LogSoftmax", CUBE, axis=-1),
    both("SoftmaxCrossEntropyWithLogits", X, LABELS, axis=-1, smooth=False),
    both("SoftmaxCrossEntropyWithLogits", CUBE[0].T, LABELS[0], axis=1, smooth=False),
    case("SparseSoftmaxCrossEntropyWithLogits", X, ints(0, 2)),
    both("SigmoidCrossEntropyWithLogits", X, LABELS),
    case("L2Normalize", CUBE, axes=(0, -1), epsilon=0.1),
    case("L2Normalize", CUBE, axes=None, epsilon=1e3),
    both("BiasAdd", CUBE, CUBE[0, 0], **NHWC),
    both("BiasAdd", CUBE, CUBE[0, :, 0], **NCHW),
    both("Conv2D", IMAGES, FILTER, **WINDOW, **NHWC),
    both("Conv2D", IMAGES, FILTER, **WIDE, **NHWC),
    both("Conv2D", IMAGES, FILTER, **HOLES, **NHWC),
    both("Conv2D", FIRST, FILTER, **WIDE, **NCHW),
    both("DepthwiseConv2dNative", IMAGES, FILTER, **WINDOW, **NHWC),
    both("DepthwiseConv2dNative", IMAGES, FILTER, **WIDE, **NHWC),
    both("DepthwiseConv2dNative", FIRST, FILTER, **HOLES, **NCHW),
    *(
        case(name, *inputs, by=by, **WIDE, **NHWC)
        for name, inputs, by in (
            ("Conv2DBackpropInput", (SIZES, FILTER, NARROW), (1, 2)),
            ("Conv2DBackpropFilter", (IMAGES, KERNEL, NARROW), (0, 2)),
            ("DepthwiseConv2dNativeBackpropInput", (SIZES, FILTER, DEEP), (1, 2)),
            ("DepthwiseConv2dNativeBackpropFilter", (IMAGES, KERNEL, DEEP), (0, 2)),
        )
    ),
    case("MaxPool", IMAGES, **POOL, **NHWC),
    case("MaxPool", FIRST, **POOL_SAME, **NCHW),
    case("MaxPoolGrad", IMAGES, IMAGES[:, :3, :2], by=(1,), **POOL_SAME, **NHWC),
    case("AvgPool", FIRST, **POOL, **NCHW),
    case("AvgPool", IMAGES, **POOL_SAME, **NHWC),
    case("AvgPoolGrad", SIZES, IMAGES[:, :3, :2], by=(1,), **POOL_SAME, **NHWC),
    # Outside of the program, and between replicas.
    case("Print", X, ROW, message="", summarize=1),
)
