from tpuref.kernels.python.convolution import Array, Pair

def first_maxima(
    images: Array, window: Pair, strides: Pair, before: Pair, pixels: Array
) -> None: ...
