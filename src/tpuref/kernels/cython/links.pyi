from typing import Any

import numpy.typing as npt

from tpuref.kernels.cython.flags import Flags
from tpuref.kernels.group import Group

def vector_instructions() -> str: ...

class Links:
    @property
    def shared_result(self) -> int: ...
    def __init__(self, flags: Flags, core: int, spins: int) -> None: ...
    def begin(self, run: int) -> None: ...
    def finish(self) -> None: ...
    def follow(self, member: Links) -> None: ...
    def flat(
        self, group: Group, source: npt.NDArray[Any], result: npt.NDArray[Any]
    ) -> int: ...
    def direct(
        self, group: Group, table_offset: int, result_offset: int, count: int
    ) -> int: ...
    def ring(
        self,
        group: Group,
        table_offset: int,
        result_offset: int,
        scratch_offset: int,
        count: int,
    ) -> int: ...
