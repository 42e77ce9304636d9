from collections.abc import Sequence

from tpuref.kernels.python.convolution import Array

def add_up(
    lefts: Sequence[Array],
    rights: Sequence[Array],
    first: int,
    last: int,
    result: Array,
) -> None: ...
