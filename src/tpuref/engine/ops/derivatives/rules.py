"""Register the gradient rules of all families in the operations' definitions."""

from __future__ import annotations

from tpuref.engine.ops.derivatives import (
    arrays,
    effects,
    elementwise,
    indexing,
    networks,
    products,
    reductions,
)
from tpuref.engine.ops.registry import REGISTRY

for _rules in (
    elementwise.RULES,
    reductions.RULES,
    products.RULES,
    arrays.RULES,
    indexing.RULES,
    indexing.SORTING_RULES,
    networks.RULES,
    effects.RANDOM_RULES,
    effects.STATE_RULES,
    effects.HOST_RULES,
    effects.COLLECTIVE_RULES,
    effects.TPU_RULES,
    effects.FEED_RULES,
    effects.DATA_RULES,
):
    REGISTRY.add_gradients(_rules)
