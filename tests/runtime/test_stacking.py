"""Rules for all cores at once: the bits that each core gets by itself."""

import itertools

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.ops.definition import outputs_of
from tpuref.engine.ops.registry import REGISTRY
from tpuref.engine.runtime.pool.columns import SAME, STACKED, layout

from .programs import fused, fusion_of, instr

CORES = 3
REDUCTIONS = ("Sum", "Mean", "Prod", "Max", "Min", "Any", "All", "ArgMax", "ArgMin")
DTYPES = ("float32", "float64", "float16", "bfloat16", "int32", "complex64", "bool")
SHAPES: tuple[tuple[int, ...], ...] = (
    *((n,) for n in (*range(20), 64, 127, 128, 129, 1000, 8191, 8193, 20_001)),
    *itertools.product((1, 2, 7, 9, 130), repeat=2),
    *((2, 1, 5), (3, 17, 4), (1, 9, 1), (5, 1, 1), (40, 3, 70), (0, 4), (4, 0, 2)),
)


@pytest.fixture(autouse=True)
def as_in_a_process_of_the_pool():
    with np.errstate(all="ignore"):
        yield


def sample(draw, dtype, shape):
    element, count = tf.as_dtype(dtype).np, int(np.prod(shape))
    values = draw.standard_normal(count) * 10.0 ** draw.integers(-3, 3, count)
    if dtype == "bool":
        values = values > 0
    elif dtype == "complex64":
        values = values + 1j * draw.standard_normal(count)
    return values.astype(element).reshape(shape)


def compared(op, *arrays, known=(), **attrs):
    """Compare a rule with each core by itself; False where it takes no such array."""
    definition = REGISTRY[op]
    assert definition.kernel is not None and definition.batching.stacked is not None
    try:
        rows = [
            outputs_of(definition.kernel(*row, *known, **attrs))
            for row in zip(*arrays, strict=True)
        ]
    except (TypeError, ValueError, tf.errors.InvalidArgumentError):
        return False
    found = outputs_of(definition.batching.stacked(*arrays, *known, **attrs))
    for stack, *column in zip(map(np.asarray, found), *rows, strict=True):
        assert stack.dtype == column[0].dtype
        parts = stack.reshape(CORES, *np.shape(column[0]))
        for row, part in zip(column, parts, strict=True):
            assert row.tobytes() == part.tobytes(), (op, arrays[0].shape, attrs)
    return True


def axes_of(rank):
    return [None, *range(-rank, rank), *itertools.combinations(range(rank), 2)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", REDUCTIONS)
def test_reductions(op, dtype):
    draw, count = np.random.default_rng(1), 0
    options = {"output_type": "int64"} if op.startswith("Arg") else {}
    for shape in SHAPES:
        x = sample(draw, dtype, (CORES, *shape))
        for axis, keepdims in itertools.product(axes_of(len(shape)), (True, False)):
            if options and isinstance(axis, tuple):
                continue
            count += compared(op, x, axis=axis, keepdims=keepdims, **options)
    logical = op in ("Any", "All")
    assert count > 100 or logical != (dtype == "bool") or dtype == "complex64"


@pytest.mark.parametrize("dtype", DTYPES)
def test_axes_and_sizes(dtype):
    draw = np.random.default_rng(2)
    for shape in SHAPES:
        x = sample(draw, dtype, (CORES, *shape))
        wide = np.array([4, 1, *shape][-max(len(shape), 2) :], np.int64)
        assert compared("Reshape", x, known=[np.array([x[0].size, 1, 1])])
        assert compared("BroadcastTo", x, known=[np.array([2, *shape])])
        for axis in range(-len(shape) - 1, len(shape) + 1):
            assert compared("ExpandDims", x, axis=axis)
        for kept in itertools.product(*([1, n] for n in shape)):
            for start in range(len(kept) + 1):
                if dtype != "bool" and 0 not in wide:
                    compared("SumToShape", x, known=[np.array(kept[start:], np.int64)])
        key = [("slice", None, None, 2), ("newaxis",), ("index", 0)]
        for length in range(4):
            compared("StridedSlice", x, key=tuple(key[:length]))
            compared("StridedSlice", x, key=(("ellipsis",), *key[:length]))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "bool"])
def test_joining_splitting_and_orders(dtype):
    draw, count = np.random.default_rng(5), 0
    for shape in [(), (4,), (2, 6), (3, 4, 2), (0, 4)]:
        x, y = (sample(draw, dtype, (CORES, *shape)) for _ in range(2))
        constant = sample(draw, dtype, shape)
        for axis in range(-len(shape) - 1, len(shape) + 1):
            count += compared("Pack", x, y, known=[constant], axis=axis)
        for axis in range(-len(shape), len(shape)):
            count += compared("ConcatV2", x, y, known=[constant], axis=axis)
            count += compared("Unpack", x, axis=axis, num=shape[axis])
            for sizes in ((None, None), (1, None), (None, 0, 2), (shape[axis],)):
                count += compared("Split", x, axis=axis, sizes=sizes)
        for perm in (None, *itertools.permutations(range(len(shape)))):
            count += compared("Transpose", x, perm=perm)
    assert count > 100


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 2)])
def test_labels(shape):
    draw = np.random.default_rng(3)
    labels = draw.integers(0, 5, (CORES, *shape), dtype=np.int32)
    for depth, axis in itertools.product((0, 5), range(-1, len(shape) + 1)):
        constants = np.array(depth, np.int32), *np.array([[2], [-1]], np.float32)
        known = [constant.reshape(()) for constant in constants]
        assert compared("OneHot", labels, known=known, axis=axis)
    for dtype in ("float32", "float16", "float64"):
        logits = sample(draw, dtype, (CORES, *shape, 5))
        assert compared("SparseSoftmaxCrossEntropyWithLogits", logits, labels)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("channels", [3, 16, 600])
def test_gradients_of_filters(dtype, data_format, channels):
    draw, definition = np.random.default_rng(7), REGISTRY["Conv2DBackpropFilter"]
    sizes, steps = np.array([3, 2, channels, 18 if channels < 600 else 90]), (5, 8)
    arrays = [
        sample(draw, dtype, (CORES, 2, *shape))
        for shape in ((9, 8, channels), (*steps, sizes[-1]))
    ]
    if data_format == "NCHW":
        arrays = [np.moveaxis(array, -1, 2).copy() for array in arrays]
    attrs = {"strides": (2, 1), "padding": "SAME", "dilations": (1, 1)}
    attrs["data_format"] = data_format
    images, backprop = arrays
    together = definition.batching.stacked(images, sizes, backprop, **attrs)
    assert together.shape == (CORES, *sizes) and together.dtype == images.dtype
    for k in range(CORES):
        alone = definition.kernel(images[k], sizes, backprop[k], **attrs)
        assert alone.tobytes() == together[k].tobytes()


def test_each_rule_is_compared():
    others = {"Reshape", "ExpandDims", "BroadcastTo", "SumToShape", "StridedSlice"}
    others |= {"OneHot", "SparseSoftmaxCrossEntropyWithLogits", "Transpose"}
    others |= {"Pack", "Unpack", "ConcatV2", "Split", "Conv2DBackpropFilter"}
    rules = {
        name for name in REGISTRY.names() if REGISTRY[name].batching.stacked is not None
    }
    assert rules == {*REDUCTIONS, *others}


def test_a_slope_of_a_mean_is_known_beforehand():
    draw = np.random.default_rng(4)
    program = [
        instr("Mean", [0], 1, axis=None, keepdims=False),
        instr("OnesLike", [1], 2),
        instr("Size", [0], 3, out_type="int32", gives=tf.int32),
        instr("Cast", [3], 4, dtype="float32"),
        instr("RealDiv", [2, 4], 5),
        instr("BroadcastTo", [5, 9], 6),
    ]
    column = [draw.standard_normal(4).astype("f") for _ in range(CORES)]
    fusion = fusion_of(program, CORES, [1, 6], {9: np.array([4], np.int32)})
    values = fused(fusion, {0: column})
    assert layout(values[1])[0] == STACKED and layout(values[6])[0] == SAME
    assert values[6][0].tolist() == [0.25] * 4 and values[6][0].flags.c_contiguous
    mean = program[0].definition.kernel
    assert mean is not None
    for found, x in zip(values[1], column, strict=True):
        assert found.tobytes() == mean(x, axis=None, keepdims=False).tobytes()


def test_a_wrong_label_is_left_to_the_core_that_has_it():
    program = [instr("SparseSoftmaxCrossEntropyWithLogits", [0, 2], 1)]
    fusion = fusion_of(program, CORES, [1])
    logits = [np.zeros((2, 4), np.float32) + k for k in range(CORES)]
    labels = [np.array([k, 0], np.int32) for k in (0, 4, 3)]
    assert not fusion.run([logits, None, labels])
