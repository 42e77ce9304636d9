from tpuref.kernels.python.convolution import Array, Pair

def correlate(
    images: Array, filters: Array, strides: Pair, holes: Pair, result: Array
) -> None: ...
def filter_gradient(
    images: Array, gradient: Array, strides: Pair, holes: Pair, result: Array
) -> None: ...
