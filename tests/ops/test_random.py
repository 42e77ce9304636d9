"""Random draws: dtypes, ranges, distributions; the same draws from the same seed."""

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.dtypes import as_dtype
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.random import OPERATIONS
from tpuref.engine.ops.registry import REGISTRY

from .records import infer

FLOATING = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
MANY = np.array([100, 200], np.int32)


def draw(name, *inputs, seed=3, **attrs):
    compute = REGISTRY[name].kernel
    assert compute is not None
    rng = np.random.default_rng(seed)
    return compute(*map(np.asarray, inputs), seed=(None, None), rng=rng, **attrs)


def test_all_are_random_and_never_left_out():
    assert all(rule.traits.random and rule.stateful for rule in OPERATIONS)


@pytest.mark.parametrize(
    ("name", "inputs", "attrs"),
    [
        ("RandomUniform", [MANY], {"dtype": "float32"}),
        ("RandomUniformInt", [MANY, 0, 1000], {}),
        ("RandomStandardNormal", [MANY], {"dtype": "float16"}),
        ("TruncatedNormal", [MANY], {"dtype": "float64"}),
        ("RandomShuffle", [np.arange(50)], {}),
        ("Multinomial", [np.zeros((2, 50)), 20], {"output_dtype": "int32"}),
    ],
)
def test_the_generator_alone_decides(name, inputs, attrs):
    first = draw(name, *inputs, **attrs)
    np.testing.assert_array_equal(draw(name, *inputs, **attrs), first)
    assert (draw(name, *inputs, seed=4, **attrs) != first).any()


@pytest.mark.parametrize("dtype", FLOATING)
def test_the_distributions_of_numbers(dtype):
    def drawn(name):
        got = draw(name, MANY, dtype=np.dtype(dtype).name)
        assert got.dtype == dtype
        return got.astype(np.float64)

    values = drawn("RandomUniform")
    assert values.min() >= 0 and values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01 and abs(values.var() - 1 / 12) < 0.01
    values = drawn("RandomStandardNormal")
    assert abs(values.mean()) < 0.03 and abs(values.std() - 1) < 0.03
    assert abs(np.mean(np.abs(values) < 1) - 0.6827) < 0.02
    values = drawn("TruncatedNormal")
    assert np.abs(values).max() < 2
    assert abs(values.mean()) < 0.03 and abs(values.std() - 0.8796) < 0.03


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_take_every_value_of_the_range(dtype):
    low, high = np.array(-2, dtype), np.array(3, dtype)
    got = draw("RandomUniformInt", MANY, low, high)
    assert got.dtype == dtype
    values, counts = np.unique(got, return_counts=True)
    assert values.tolist() == [-2, -1, 0, 1, 2]
    assert counts.min() > 0.18 * got.size
    with pytest.raises(InvalidArgumentError, match="minval < maxval, got 3 and 3"):
        draw("RandomUniformInt", MANY, 3, 3)


def test_other_dtypes_are_refused():
    shape = Operand(TensorShape([2]), as_dtype("int32"))
    for name in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        with pytest.raises(TypeError, match="floating-point .* got int32"):
            infer(name, shape, dtype="int32", seed=(None, None))
    logits = Operand(TensorShape([2, 3]), as_dtype("float32"))
    count = Operand(TensorShape([]), as_dtype("int32"))
    with pytest.raises(TypeError, match="output_dtype"):
        infer("Multinomial", logits, count, output_dtype="float32", seed=(None, None))
