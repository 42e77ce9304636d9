"""Addresses of arrays, on both kernels."""

import importlib

import ml_dtypes
import numpy as np
import pytest

from .conftest import require_compiled


@pytest.fixture(params=["python", "cython"])
def address_of(request):
    if request.param == "cython":
        require_compiled()
    return importlib.import_module(
        f"tpuref.kernels.{request.param}.addresses"
    ).address_of


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, bool, object])
def test_the_address_is_that_of_the_first_element(address_of, dtype):
    whole = np.zeros((4, 6), dtype)
    start = address_of(whole)
    assert start == whole.ctypes.data
    assert address_of(whole[1:, 2:]) == start + 8 * whole.itemsize
    assert address_of(whole.T[::-1]) == start + 5 * whole.itemsize
    assert address_of(whole[3, 5, ...]) == start + 23 * whole.itemsize
    whole.flags.writeable = False
    assert address_of(whole[:0]) == start
