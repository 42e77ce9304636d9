"""Descriptions of tensors: conversion, compatibility and text."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

from tpuref.base import dtypes
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec


def test_arguments_are_converted() -> None:
    spec = TensorSpec([2, None], np.int32, "ids")
    assert isinstance(spec.shape, TensorShape)
    assert spec.shape == [2, None]
    assert spec.dtype is dtypes.int32
    assert spec.name == "ids"


def test_defaults() -> None:
    spec = TensorSpec([])
    assert spec.dtype is dtypes.float32
    assert spec.name is None


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="TensorShape"):
        TensorSpec("ab")
    with pytest.raises(TypeError, match="as_dtype"):
        TensorSpec([2], "float33")
    with pytest.raises(ValueError, match="negative"):
        TensorSpec([-1])


@pytest.mark.parametrize(
    ("shape", "dtype", "text"),
    [
        ([2, None], "float32", "float32[2,?]"),
        ([], "float32", "float32[]"),
        (None, "float32", "float32<unknown>"),
        ([7], "bool", "bool[7]"),
    ],
)
def test_short_form(shape: Any, dtype: str, text: str) -> None:
    spec = TensorSpec(shape, dtype)
    assert spec.describe() == str(spec) == text
    assert repr(spec) == f"TensorSpec({text})"
    assert repr(TensorSpec(shape, dtype, "x")) == f"TensorSpec({text}, name='x')"


def test_compatibility_ignores_names() -> None:
    spec = TensorSpec([2, None], "int32", "a")
    assert spec.is_compatible_with(TensorSpec([2, 7], "int32", "b"))
    assert spec.is_compatible_with(TensorSpec(None, "int32"))
    assert not spec.is_compatible_with(TensorSpec([3, 7], "int32"))
    assert not spec.is_compatible_with(TensorSpec([2, 7], "int64"))


def test_equality_and_hash() -> None:
    spec = TensorSpec([2, None], "int32", "a")
    same = TensorSpec((2, None), dtypes.int32, name="a")
    assert spec == same
    assert hash(spec) == hash(same)
    assert spec != TensorSpec([2, None], "int32", "b")
    assert spec != TensorSpec([2, 3], "int32", "a")


def test_frozen() -> None:
    spec = TensorSpec([2])
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies(protocol: int) -> None:
    spec = TensorSpec([2, None], "bfloat16", "x")
    copied = pickle.loads(pickle.dumps(spec, protocol))
    assert copied == spec
    assert copied.dtype is dtypes.bfloat16
    assert copy.deepcopy(spec) == spec
