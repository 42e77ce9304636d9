"""All rules by the names of the operations."""

from __future__ import annotations

from tpuref.engine.runtime.xla.rules import (
    Check,
    Rule,
    arrays,
    elementwise,
    images,
    indexing,
    sorting,
    sums,
    tensor_arrays,
)

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
