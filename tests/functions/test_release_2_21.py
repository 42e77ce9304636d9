"""Functions give what TensorFlow 2.21 gave."""

import json
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf

from .release_2_21 import CASES

RECORDED = json.loads(Path(__file__).with_name("release_2_21.json").read_text())


def check(name, value):
    wanted = RECORDED[name]
    found = np.asarray(value)
    assert found.dtype.name == wanted["dtype"]
    assert list(found.shape) == wanted["shape"]
    if found.dtype == object:
        assert [item.decode("latin-1") for item in found.ravel()] == wanted["values"]
        return
    expected = np.array(wanted["values"], float).reshape(*found.shape, -1)
    if np.iscomplexobj(found):
        found = np.stack([found.real, found.imag], -1)
    tolerance = 3e-5 if wanted["dtype"] != "float16" else 1e-3
    found = found.astype(float).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, tolerance, tolerance)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "decorate", [lambda f: f, tf.function], ids=["eager", "traced"]
)
def test_values_are_those_of_tensorflow(name, decorate, eager):
    check(name, decorate(lambda: CASES[name](tf.compat.v2))())
