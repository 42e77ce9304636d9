"""All operations, family by family."""

from __future__ import annotations

from tpuref.ops import (
    arrays,
    collectives,
    control,
    data,
    elementwise,
    host,
    indexing,
    linear_algebra,
    neural,
    random,
    reductions,
    sorting,
    state,
    tpu,
)
from tpuref.ops.definition import Registry

REGISTRY = Registry()
REGISTRY.add(elementwise.OPERATIONS)
REGISTRY.add(reductions.OPERATIONS)
REGISTRY.add(linear_algebra.OPERATIONS)
REGISTRY.add(arrays.OPERATIONS)
REGISTRY.add(indexing.OPERATIONS)
REGISTRY.add(sorting.OPERATIONS)
REGISTRY.add(neural.OPERATIONS)
REGISTRY.add(random.OPERATIONS)
REGISTRY.add(state.OPERATIONS)
REGISTRY.add(control.OPERATIONS)
REGISTRY.add(host.OPERATIONS)
REGISTRY.add(collectives.OPERATIONS)
REGISTRY.add(tpu.OPERATIONS)
REGISTRY.add(data.OPERATIONS)
