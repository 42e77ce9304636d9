"""Operations by name: what they compute, what they infer, and their operands."""

from typing import Any

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.registry import REGISTRY


def ints(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def scalar(value: Any) -> np.ndarray:
    return np.array(value, np.int32)


def known(shape: Any, dtype: Any = "float32", value: Any = None) -> Operand:
    """Return an operand of a static shape; its value is hidden unless it is passed."""
    return Operand(TensorShape(shape), as_dtype(dtype), value)


def value(array: np.ndarray) -> Operand:
    return known(array.shape, array.dtype, array)


def infer(name: str, *operands: Operand, **attrs: Any) -> Any:
    return REGISTRY[name].infer(*operands, **attrs)


def run(name: str, *inputs: Any, **attrs: Any) -> Any:
    return REGISTRY[name].compute(*map(np.asarray, inputs), **attrs)
