"""How rules of gradients apply operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from tpuref.engine.graph import build
from tpuref.engine.graph.convert import constant_of


def apply(op: str, *inputs: Any, **attrs: Any) -> Any:
    """Apply an operation; arrays among the inputs keep their own element types."""
    return build.apply(op, *map(_as_it_is, inputs), **attrs)


def _as_it_is(value: Any) -> Any:
    exact = isinstance(value, (np.ndarray, np.generic))
    return constant_of(np.asarray(value)) if exact else value
