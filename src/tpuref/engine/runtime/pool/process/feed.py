"""Prefetch of a loop's feed: a core asks the host for several elements at once."""

from collections import deque
from collections.abc import Sequence

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.meaning.run import Run

FIRST = 4
"""The number of elements of the first request of a run."""

AHEAD = 16
"""The most elements of a request."""

AHEAD_BYTES = 1 << 20
"""The most memory of these elements, unless a single one is larger."""


class CoreFeed:
    """The prefetched elements of one instruction on one core.

    The first request of a run is small, so that the loop starts early; each later one
    doubles, so that the loop seldom waits for the host.
    """

    def __init__(self, instr: Instr) -> None:
        sizes = [spec.shape.num_elements() or 0 for spec in instr.specs]
        pairs = zip(sizes, instr.specs, strict=True)
        own = sum(size * spec.dtype.size for size, spec in pairs)
        self._most = max(1, min(AHEAD, AHEAD_BYTES // max(1, own)))
        self._width = len(instr.outputs)
        self._run: Run | None = None
        self._waiting: deque[Sequence[Array]] = deque()
        self._count = 0

    def wanted(self, run: Run) -> int:
        """Return the number of elements to request, 0 while some are left."""
        if run is not self._run:
            self._run, self._count = run, min(FIRST, self._most)
            self._waiting.clear()
        return 0 if self._waiting else self._count

    def fill(self, arrays: Sequence[Array]) -> None:
        """Store the reply of the host, the arrays of one element after the other."""
        for begin in range(0, len(arrays), self._width):
            self._waiting.append(arrays[begin : begin + self._width])
        self._count = min(2 * self._count, self._most)

    def next(self) -> Sequence[Array]:
        """Return the next element."""
        return self._waiting.popleft()
