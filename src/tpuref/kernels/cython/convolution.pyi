from tpuref.kernels.python.convolution import Array, Margins, Pair

def correlate(
    images: Array,
    filters: Array,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    result: Array,
) -> None: ...
def filter_gradient(
    images: Array,
    gradient: Array,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    result: Array,
) -> None: ...
def turned(filters: Array) -> Array: ...
