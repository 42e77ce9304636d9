"""The slabs into which the cores write results whose shapes are known.

The parts of all replicas are side by side, so joining them along the first dimension
needs no copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.base.dtypes import string
from tpuref.base.spec import TensorSpec
from tpuref.kernels.slab import Slab
from tpuref.ops.meaning import Array
from tpuref.runtime.cores import Cores
from tpuref.runtime.descriptions import INLINE_BYTES


class ResultSlabs:
    """The slabs for the results of one run.

    Parameters
    ----------
    cores
        The cores that run.
    specs
        What is known of each result.
    replicas
        How many replicas there are.

    Attributes
    ----------
    blocks
        The size per replica, and the offset, of each result; None for one without a
        slab.
    """

    def __init__(
        self, cores: Cores, specs: Sequence[TensorSpec | None], replicas: int
    ) -> None:
        self._specs = specs
        self._blocks = [_block(cores, spec, replicas) for spec in specs]
        self.blocks = [b and b[:2] for b in self._blocks]

    def array(self, result: int, replica: int) -> Array:
        """Return the array that a replica has written."""
        block, spec = self._blocks[result], self._specs[result]
        assert block is not None and spec is not None
        size, _, slab = block
        shape = [length or 0 for length in spec.shape.as_list()]
        return slab.part(replica * size, shape, spec.dtype.np)


def _block(
    cores: Cores, spec: TensorSpec | None, replicas: int
) -> tuple[int, int, Slab] | None:
    """Return the size per replica, the offset and the slab; None if there is none."""
    if spec is None or spec.dtype == string or not spec.shape.is_fully_defined():
        return None
    size = (spec.shape.num_elements() or 0) * spec.dtype.size
    if size <= INLINE_BYTES:
        return None
    return (size, *cores.slab(size * replicas))
