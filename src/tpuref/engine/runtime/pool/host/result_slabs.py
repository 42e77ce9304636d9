"""The slabs into which the cores write results whose shapes are known.

The parts of all replicas are side by side, so joining them along the first dimension
needs no copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.host.cores import Cores
from tpuref.engine.runtime.pool.host.program_facts import ResultBlock


class ResultSlabs:
    """The slabs for the results of one run.

    Parameters
    ----------
    cores
        The cores that run.
    results
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
        self, cores: Cores, results: Sequence[ResultBlock | None], replicas: int
    ) -> None:
        self._results = results
        self._slabs = [r and cores.slab(r.size * replicas) for r in results]
        self.blocks = [
            (result.size, slab[0]) if result and slab else None
            for result, slab in zip(results, self._slabs, strict=True)
        ]

    def array(self, result: int, replica: int) -> Array:
        """Return the array that a replica has written."""
        known, slab = self._results[result], self._slabs[result]
        assert known is not None and slab is not None
        return slab[1].part(replica * known.size, known.shape, known.dtype)
