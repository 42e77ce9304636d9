from tpuref.kernels.python.convolution import Array, Pair

def maxima(
    images: Array, window: Pair, strides: Pair, before: Pair, result: Array
) -> None: ...
def first_maxima(
    images: Array,
    window: Pair,
    strides: Pair,
    before: Pair,
    distances: tuple[int, int, int],
    positions: Array,
) -> None: ...
def gradient(
    images: Array,
    backprop: Array,
    window: Pair,
    strides: Pair,
    before: Pair,
    result: Array,
) -> None: ...
