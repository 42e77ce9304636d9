"""Apply operations in gradient rules."""

from typing import Any

import numpy as np

from tpuref.engine.graph import build
from tpuref.engine.graph.convert import constant_of


def apply(op: str, *inputs: Any, **attrs: Any) -> Any:
    """Apply an operation; NumPy arrays among the inputs keep their dtypes."""
    return build.apply(op, *map(_exact, inputs), **attrs)


def _exact(value: Any) -> Any:
    exact = isinstance(value, (np.ndarray, np.generic))
    return constant_of(np.asarray(value)) if exact else value
