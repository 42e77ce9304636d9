from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from tpuref.kernels.buffers import Buffer, Extents
from tpuref.kernels.python.links import dtype_code as dtype_code
from tpuref.kernels.status import FLAT_LIMIT as FLAT_LIMIT

def control_bytes(cores: int) -> int: ...

class Links:
    @property
    def shared_result(self) -> int: ...
    def __init__(
        self, arena: Buffer, control: int, core: int, cores: int, spins: int
    ) -> None: ...
    def begin(self, run: int, seconds: float) -> None: ...
    def finish(self) -> None: ...
    def poison(self, code: int) -> None: ...
    def poisoned(self) -> int: ...
    def heal(self) -> None: ...
    def barrier(self, members: Extents, fingerprint: int) -> int: ...
    def flat(
        self,
        members: Extents,
        source: npt.NDArray[Any],
        result: npt.NDArray[Any],
        dtype: int,
        fingerprint: int,
    ) -> int: ...
    def direct(
        self,
        members: Extents,
        source_offset: int,
        result_offset: int,
        count: int,
        dtype: int,
        fingerprint: int,
    ) -> int: ...
    def ring(
        self,
        members: Extents,
        source_offset: int,
        result_offset: int,
        scratch_offset: int,
        count: int,
        dtype: int,
        fingerprint: int,
    ) -> int: ...
    def late(self, members: Sequence[int] | Extents) -> list[int]: ...
    def differing(self, members: Sequence[int] | Extents) -> list[int]: ...
    def position(self, core: int) -> tuple[int, int]: ...
