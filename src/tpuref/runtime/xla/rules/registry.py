"""All rules by the names of the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tpuref.runtime.xla.rules import (
    arrays,
    elementwise,
    images,
    indexing,
    sorting,
    sums,
    tensor_arrays,
)

Rule = Callable[..., Any]
"""``rule(xp, *arrays, **attrs)`` gives an array or several, like a meaning."""
Check = Callable[..., Any]
"""``check(*arrays, **attrs)`` lists what may be wrong: flag, code, message."""

RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **arrays.RULES,
    **indexing.RULES,
    **tensor_arrays.RULES,
    **sorting.RULES,
    **images.RULES,
    **sums.RULES,
}

CHECKS: dict[str, Check] = {
    **elementwise.CHECKS,
    **indexing.CHECKS,
    **tensor_arrays.CHECKS,
}
