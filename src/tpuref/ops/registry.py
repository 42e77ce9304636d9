"""All operations, family by family."""

from __future__ import annotations

from tpuref.ops import (
    collectives,
    control,
    creation,
    data,
    diagonals,
    elementwise,
    feeds,
    host,
    indexing,
    joining,
    linear_algebra,
    neural,
    random,
    reductions,
    repetition,
    reshaping,
    selection,
    sorting,
    sources,
    state,
    tpu,
)
from tpuref.ops.definition import Registry
from tpuref.ops.derivatives import arrays as array_rules
from tpuref.ops.derivatives import effects as effect_rules
from tpuref.ops.derivatives import elementwise as elementwise_rules
from tpuref.ops.derivatives import indexing as indexing_rules
from tpuref.ops.derivatives import networks as network_rules
from tpuref.ops.derivatives import products as product_rules
from tpuref.ops.derivatives import reductions as reduction_rules

ARRAYS = (
    *sources.OPERATIONS,
    *creation.OPERATIONS,
    *reshaping.OPERATIONS,
    *joining.OPERATIONS,
    *repetition.OPERATIONS,
    *diagonals.OPERATIONS,
    *selection.OPERATIONS,
)
"""The operations on whole arrays; their gradients are in `derivatives.arrays`."""

REGISTRY = Registry()
REGISTRY.add(elementwise.OPERATIONS, elementwise_rules.RULES)
REGISTRY.add(reductions.OPERATIONS, reduction_rules.RULES)
REGISTRY.add(linear_algebra.OPERATIONS, product_rules.RULES)
REGISTRY.add(ARRAYS, array_rules.RULES)
REGISTRY.add(indexing.OPERATIONS, indexing_rules.RULES)
REGISTRY.add(sorting.OPERATIONS, indexing_rules.SORTING_RULES)
REGISTRY.add(neural.OPERATIONS, network_rules.RULES)
REGISTRY.add(random.OPERATIONS, effect_rules.RANDOM_RULES)
REGISTRY.add(state.OPERATIONS, effect_rules.STATE_RULES)
REGISTRY.add(control.OPERATIONS)
REGISTRY.add(host.OPERATIONS, effect_rules.HOST_RULES)
REGISTRY.add(collectives.OPERATIONS, effect_rules.COLLECTIVE_RULES)
REGISTRY.add(tpu.OPERATIONS, effect_rules.TPU_RULES)
REGISTRY.add(feeds.OPERATIONS, effect_rules.FEED_RULES)
REGISTRY.add(data.OPERATIONS, effect_rules.DATA_RULES)
