"""All operations, family by family.

`ops.derivatives.rules` has their gradients; core processes do not load it.
"""

from tpuref.engine.ops import (
    collectives,
    control,
    creation,
    data,
    decompositions,
    diagonals,
    elementwise,
    feeds,
    host,
    images,
    indexing,
    joining,
    linear_algebra,
    neural,
    random,
    reductions,
    repetition,
    reshaping,
    segments,
    selection,
    sorting,
    sources,
    spectra,
    state,
    stateless,
    stateless_rejection,
    tensor_arrays,
    tpu,
)
from tpuref.engine.ops.definition import Registry

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
REGISTRY.add(elementwise.OPERATIONS)
REGISTRY.add(reductions.OPERATIONS)
REGISTRY.add(linear_algebra.OPERATIONS)
REGISTRY.add(decompositions.OPERATIONS)
REGISTRY.add(spectra.OPERATIONS)
REGISTRY.add(ARRAYS)
REGISTRY.add(indexing.OPERATIONS)
REGISTRY.add(tensor_arrays.OPERATIONS)
REGISTRY.add(sorting.OPERATIONS)
REGISTRY.add(segments.OPERATIONS)
REGISTRY.add(neural.OPERATIONS)
REGISTRY.add(images.OPERATIONS)
REGISTRY.add(random.OPERATIONS)
REGISTRY.add(stateless.OPERATIONS)
REGISTRY.add(stateless_rejection.OPERATIONS)
REGISTRY.add(state.OPERATIONS)
REGISTRY.add(control.OPERATIONS)
REGISTRY.add(host.OPERATIONS)
REGISTRY.add(collectives.OPERATIONS)
REGISTRY.add(tpu.OPERATIONS)
REGISTRY.add(feeds.OPERATIONS)
REGISTRY.add(data.OPERATIONS)
