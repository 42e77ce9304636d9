"""Addresses of arrays, on both kernels."""

import ml_dtypes
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, bool, object])
def test_the_address_is_that_of_the_first_element(kernels, dtype):
    whole, address_of = np.zeros((4, 6), dtype), kernels.addresses.address_of
    start = address_of(whole)
    assert start == whole.ctypes.data
    assert address_of(whole[1:, 2:]) == start + 8 * whole.itemsize
    assert address_of(whole.T[::-1]) == start + 5 * whole.itemsize
    assert address_of(whole[3, 5, ...]) == start + 23 * whole.itemsize
    whole.flags.writeable = False
    assert address_of(whole[:0]) == start
