"""Element types: conversion, equality, identity and properties."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from tpuref.base import dtypes
from tpuref.base.dtypes import DTYPES, DType, as_dtype

FIRST = "float32 float64 int32 uint8 int16 int8 string complex64 int64 bool"
PUBLIC_ENUM = {name: number for number, name in enumerate(FIRST.split(), 1)}
PUBLIC_ENUM |= {"bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19}
PUBLIC_ENUM |= {"uint32": 22, "uint64": 23}
PUBLIC_ENUM |= {"float8_e5m2": 24, "float8_e4m3fn": 25}


def test_serialized_numbers_are_the_public_ones():
    assert {dtype.name: dtype.as_datatype_enum for dtype in DTYPES} == PUBLIC_ENUM


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_every_form_of_a_type_converts_to_the_one_object(dtype):
    number = dtype.as_datatype_enum
    for form in [
        dtype,
        dtype.name,
        dtype.as_numpy_dtype,
        dtype.np,
        number,
        np.int64(number),
    ]:
        assert as_dtype(form) is dtype
        assert dtype == form
        assert (dtype != form) is False
    assert copy.copy(dtype) is dtype
    assert copy.deepcopy([dtype])[0] is dtype
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (bool, "bool"),
        (int, "int32"),
        (float, "float32"),
        (complex, "complex128"),
        (str, "string"),
        (bytes, "string"),
        ("half", "float16"),
        ("float", "float32"),
        ("double", "float64"),
        (np.dtype(">f4"), "float32"),
        (np.dtype("S3"), "string"),
        (np.dtype("U3"), "string"),
        (np.str_, "string"),
        (np.longlong, "int64"),
        (np.intc, "int32"),
        (ml_dtypes.bfloat16, "bfloat16"),
    ],
)
def test_other_spellings(value, expected):
    assert as_dtype(value).name == expected


OTHERS = [None, 1.0, True, 0, 101, "float33", b"float32", [1], np.zeros(2), DType]
OTHERS += [np.floating, np.number, np.datetime64, np.dtype("i4,f4")]


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_what_is_no_type_is_refused_and_equals_none(value):
    with pytest.raises(TypeError, match="is not an element type"):
        as_dtype(value)
    assert all((dtype == value) is False for dtype in DTYPES)
    assert all((dtype != value) is True for dtype in DTYPES)


def test_equality_from_the_other_side():
    assert np.dtype("float32") == np.float32 == dtypes.float32
    assert np.float64 != dtypes.float32 != dtypes.float64
    assert len(set(DTYPES)) == len(DTYPES)


def test_compatible_means_same():
    assert dtypes.int32.is_compatible_with("int32")
    assert not dtypes.int32.is_compatible_with(np.int64)
    with pytest.raises(TypeError, match="'integer'"):
        dtypes.int32.is_compatible_with("integer")


def names_where(attribute):
    return {dtype.name for dtype in DTYPES if getattr(dtype, attribute)}


def test_families():
    floating = {"float16", "bfloat16", "float32", "float64"}
    floating |= {"float8_e5m2", "float8_e4m3fn"}
    unsigned = {"uint8", "uint16", "uint32", "uint64"}
    integer = unsigned | {"int8", "int16", "int32", "int64"}
    complex_ = {"complex64", "complex128"}
    assert names_where("is_floating") == floating
    assert names_where("is_unsigned") == unsigned
    assert names_where("is_integer") == integer
    assert names_where("is_complex") == complex_
    assert names_where("is_bool") == {"bool"}
    assert names_where("is_numeric") == floating | integer | complex_


def test_text_base_and_size():
    assert repr(dtypes.bool_) == "tf.bool"
    assert str(dtypes.float32) == "<dtype: 'float32'>"
    assert dtypes.string.base_dtype is dtypes.string
    assert dtypes.string.as_numpy_dtype is np.object_
    sizes = [d.size for d in (dtypes.bool_, dtypes.bfloat16, dtypes.complex128)]
    assert sizes == [1, 2, 16]


def test_least_and_greatest():
    assert (dtypes.int8.min, dtypes.int8.max) == (-128, 127)
    assert (dtypes.uint64.min, dtypes.uint64.max) == (0, 2**64 - 1)
    assert dtypes.float16.max == 65504
    assert dtypes.float32.min == -dtypes.float32.max
    assert float(dtypes.bfloat16.max) == float.fromhex("0x1.FEp127")
    for dtype in (dtypes.bool_, dtypes.complex64, dtypes.string):
        for limit in ("min", "max"):
            with pytest.raises(TypeError, match="has no order"):
                getattr(dtype, limit)


def test_image_limits():
    assert dtypes.uint8.limits == (0, 255)
    assert dtypes.int8.limits == (0, 127)
    assert dtypes.float32.limits == (0, 1)
    assert dtypes.bool_.limits == (False, True)
    with pytest.raises(ValueError, match=r"tf\.complex64"):
        _ = dtypes.complex64.limits
