"""Operations by name: what they compute, what they infer, and their operands."""

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.registry import REGISTRY


def ints(*values):
    return np.array(values, np.int32)


def scalar(value):
    return np.array(value, np.int32)


def known(shape, dtype="float32", value=None):
    """Return an operand of a static shape; its value is hidden unless it is passed."""
    return Operand(TensorShape(shape), as_dtype(dtype), value)


def value(array):
    return known(array.shape, array.dtype, array)


def infer(name, *operands, **attrs):
    return REGISTRY[name].infer(*operands, **attrs)


def run(name, *inputs, **attrs):
    return REGISTRY[name].kernel(*map(np.asarray, inputs), **attrs)
