"""Descriptions of tensors: conversion, compatibility and text."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from tpuref.base import dtypes
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec


def test_arguments_are_converted():
    spec = TensorSpec([2, None], np.int32, "ids")
    assert isinstance(spec.shape, TensorShape)
    assert (spec.shape, spec.name) == ([2, None], "ids")
    assert spec.dtype is dtypes.int32
    assert TensorSpec([]).dtype is dtypes.float32 and TensorSpec([]).name is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.name = "x"
    assert copy.deepcopy(spec) == spec
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copied = pickle.loads(pickle.dumps(spec, protocol))
        assert copied == spec and copied.dtype is dtypes.int32


def test_wrong_arguments():
    for arguments, error, message in (
        (("ab",), TypeError, "TensorShape"),
        (([2], "float33"), TypeError, "as_dtype"),
        (([-1],), ValueError, "negative"),
    ):
        with pytest.raises(error, match=message):
            TensorSpec(*arguments)


@pytest.mark.parametrize(
    ("shape", "dtype", "text"),
    [
        ([2, None], "float32", "float32[2,?]"),
        ([], "float32", "float32[]"),
        (None, "float32", "float32<unknown>"),
        ([7], "bool", "bool[7]"),
    ],
)
def test_short_form(shape, dtype, text):
    spec = TensorSpec(shape, dtype)
    assert spec.describe() == str(spec) == text
    assert repr(spec) == f"TensorSpec({text})"
    assert repr(TensorSpec(shape, dtype, "x")) == f"TensorSpec({text}, name='x')"


def test_compatibility_ignores_names():
    spec = TensorSpec([2, None], "int32", "a")
    assert spec.is_compatible_with(TensorSpec([2, 7], "int32", "b"))
    assert spec.is_compatible_with(TensorSpec(None, "int32"))
    assert not spec.is_compatible_with(TensorSpec([3, 7], "int32"))
    assert not spec.is_compatible_with(TensorSpec([2, 7], "int64"))


def test_equality_and_hash():
    spec = TensorSpec([2, None], "int32", "a")
    same = TensorSpec((2, None), dtypes.int32, name="a")
    assert spec == same
    assert hash(spec) == hash(same)
    assert spec != TensorSpec([2, None], "int32", "b")
    assert spec != TensorSpec([2, 3], "int32", "a")
