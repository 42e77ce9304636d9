"""Random draws: dtypes, ranges, distributions; the same draws from the same seed."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.dtypes import as_dtype
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.random import OPERATIONS

RULES = {definition.name: definition for definition in OPERATIONS}
FLOATING = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
MANY = np.array([100, 200], np.int32)


def draw(name: str, *inputs: Any, seed: int = 3, **attrs: Any) -> Any:
    compute = RULES[name].kernel
    assert compute is not None
    rng = np.random.default_rng(seed)
    return compute(*map(np.asarray, inputs), seed=(None, None), rng=rng, **attrs)


def dtype_name(dtype: Any) -> str:
    return np.dtype(dtype).name


def test_all_are_random_and_never_left_out() -> None:
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
def test_the_generator_alone_decides(name, inputs, attrs) -> None:
    first = draw(name, *inputs, **attrs)
    np.testing.assert_array_equal(draw(name, *inputs, **attrs), first)
    assert (draw(name, *inputs, seed=4, **attrs) != first).any()


@pytest.mark.parametrize("dtype", FLOATING)
def test_uniform_numbers_fill_the_range_below_one(dtype) -> None:
    got = draw("RandomUniform", MANY, dtype=dtype_name(dtype))
    assert got.dtype == dtype
    values = got.astype(np.float64)
    assert values.min() >= 0 and values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01 and abs(values.var() - 1 / 12) < 0.01


@pytest.mark.parametrize("dtype", FLOATING)
def test_normal_numbers_have_mean_0_and_deviation_1(dtype) -> None:
    got = draw("RandomStandardNormal", MANY, dtype=dtype_name(dtype))
    assert got.dtype == dtype
    values = got.astype(np.float64)
    assert abs(values.mean()) < 0.03 and abs(values.std() - 1) < 0.03
    assert abs(np.mean(np.abs(values) < 1) - 0.6827) < 0.02


@pytest.mark.parametrize("dtype", FLOATING)
def test_truncated_numbers_stay_within_two_deviations(dtype) -> None:
    got = draw("TruncatedNormal", MANY, dtype=dtype_name(dtype))
    assert got.dtype == dtype
    values = got.astype(np.float64)
    assert np.abs(values).max() < 2
    assert abs(values.mean()) < 0.03 and abs(values.std() - 0.8796) < 0.03


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_take_every_value_of_the_range(dtype) -> None:
    low, high = np.array(-2, dtype), np.array(3, dtype)
    got = draw("RandomUniformInt", MANY, low, high)
    assert got.dtype == dtype
    values, counts = np.unique(got, return_counts=True)
    assert values.tolist() == [-2, -1, 0, 1, 2]
    assert counts.min() > 0.18 * got.size


def test_integers_want_a_range() -> None:
    with pytest.raises(InvalidArgumentError, match="minval < maxval, got 3 and 3"):
        draw("RandomUniformInt", MANY, 3, 3)


def test_shuffling_moves_whole_rows() -> None:
    rows = np.arange(20).reshape(10, 2)
    got = draw("RandomShuffle", rows)
    assert (got != rows).any()
    np.testing.assert_array_equal(got[got[:, 0].argsort()], rows)


def test_classes_come_with_their_chances() -> None:
    logits = np.log(np.array([[1.0, 2.0, 5.0], [8.0, 1e-30, 8.0]]))
    got = draw("Multinomial", logits, 20000, output_dtype="int64")
    assert got.shape == (2, 20000) and got.dtype == np.int64
    shares = [np.bincount(row, minlength=3) / 20000 for row in got]
    np.testing.assert_allclose(
        shares, [[1 / 8, 2 / 8, 5 / 8], [0.5, 0, 0.5]], atol=0.01
    )


def test_classes_without_chance_at_the_end_never_come() -> None:
    logits = np.array([[0.0, -np.inf]])
    assert not draw("Multinomial", logits, 1000, output_dtype="int32").any()


def test_other_dtypes_are_refused() -> None:
    shape = Operand(TensorShape([2]), as_dtype("int32"))
    for name in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        with pytest.raises(TypeError, match="floating-point .* got int32"):
            RULES[name].infer(shape, dtype="int32", seed=(None, None))
    logits = Operand(TensorShape([2, 3]), as_dtype("float32"))
    count = Operand(TensorShape([]), as_dtype("int32"))
    with pytest.raises(TypeError, match="output_dtype"):
        RULES["Multinomial"].infer(
            logits, count, output_dtype="float32", seed=(None, None)
        )
