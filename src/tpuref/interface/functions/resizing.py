"""Images of other sizes: every pixel is a weighted sum of pixels of the image.

The weights of rows and of columns are matrices, so that a batch is resized by two
products.  Their values and the handling of borders are those of TensorFlow's kernels.
"""

import math
from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import float32, int32
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.arithmetic import maximum, minimum
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.creation import zeros_like
from tpuref.interface.functions.exponentials import exp
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.indexing import gather_v2
from tpuref.interface.functions.linalg import tensordot
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.reshaping import expand_dims, squeeze, transpose
from tpuref.interface.functions.rounding import floor, round
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.functions.trigonometry import sin

Kernel = Callable[[Tensor], Tensor]


class ResizeMethod:
    """The names of the methods of `resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return images of another size, float32; ``nearest`` keeps the dtype.

    `images` is one image, ``[height, width, channels]``, or a batch.  `size` is the new
    height and width.  `method` is ``bilinear``, ``nearest``, ``bicubic``, ``area``,
    ``lanczos3``, ``lanczos5``, ``gaussian`` or ``mitchellcubic``, or a member of
    `tf.image.ResizeMethod`.  `preserve_aspect_ratio` says whether to take the largest
    size of the images' own shape within `size`, `antialias` whether the kernel widens
    where images become smaller.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     wide = tf.compat.v2.image.resize([[[1.0], [3.0]]], [1, 4])
    ...     wide.numpy().ravel().tolist()
    [1.0, 1.5, 2.5, 3.0]
    """
    if method not in (*_KERNELS, "nearest", "area"):
        raise coded(
            ValueError,
            f"tf.image.resize: method must be one of {sorted(_KERNELS)}, 'nearest' or "
            f"'area', got {method!r}",
            code=codes.INVALID_ARGUMENT,
        )
    batch, single = batched(images, "tf.image.resize")
    wanted = new_size(batch, size, preserve_aspect_ratio)
    known = convert_to_tensor(wanted, int32).operand().value
    resized = batch
    for axis, length in ((1, wanted[0]), (2, wanted[1])):
        resized = _along(resized, axis, cast(length, int32), method, antialias)
    if known is not None:
        resized.set_shape([None, *known.tolist(), None])
    return unbatched(resized, single)


def batched(images: Any, caller: str) -> tuple[Tensor, bool]:
    """Return images as a batch, and whether it was one image."""
    tensor = convert_to_tensor(images)
    if tensor.shape.rank not in (3, 4):
        raise coded(
            ValueError,
            f"{caller}: expected one image [height, width, channels] or a batch of "
            f"images, got {tensor.describe()}; give it a static rank with set_shape",
            code=codes.SHAPES_DIFFER,
        )
    single = tensor.shape.rank == 3
    return (expand_dims(tensor, 0) if single else tensor), single


def unbatched(images: Tensor, single: bool) -> Tensor:
    """Return a batch, or the one image of it."""
    return squeeze(images, [0]) if single else images


def new_size(images: Tensor, size: Any, preserve_aspect_ratio: bool) -> Tensor:
    """Return the size, or the largest one of the images' own shape within it."""
    wanted = cast(convert_to_tensor(size), int32)
    if not preserve_aspect_ratio:
        return wanted
    own = cast(shape_of(images)[1:3], float32)
    ratios = cast(wanted, float32) / own
    return cast(round(own * minimum(ratios[0], ratios[1])), int32)


def _along(
    images: Tensor, axis: int, length: Tensor, method: str, antialias: bool
) -> Tensor:
    """Return images with another length of one axis."""
    own = images.shape.as_list()[axis]
    size = shape_of(images)[axis] if own is None else convert_to_tensor(own)
    scale = cast(size, float32) / cast(length, float32)
    places = cast(numbers(length), float32)
    if method == "nearest":
        nearest = cast(floor((places + 0.5) * scale), int32)
        return gather_v2(images, minimum(nearest, size - 1), axis=axis)
    pixels = cast(numbers(size), float32)
    if method == "area":
        weights = _overlaps(places, pixels, scale)
    elif method == "bicubic" and not antialias:
        weights = _bicubic(places, pixels, scale)
    else:
        kernel, radius = _KERNELS[method]
        scale = 1.0 / (cast(length, float32) / cast(size, float32))
        widening = maximum(scale, 1.0) if antialias else convert_to_tensor(1.0)
        centers = expand_dims((places + 0.5) * scale, 1)
        distances = absolute((pixels + 0.5 - centers) * (1.0 / widening))
        values = where_v2(distances < radius, kernel(distances), 0.0)
        weights = _normalize_weights(values)
    return weighted(images, weights, axis)


def weighted(images: Tensor, weights: Any, axis: int) -> Tensor:
    """Return images whose pixels along an axis are weighted sums, a row for each."""
    moved = tensordot(weights, cast(images, float32), [[1], [axis]])
    return transpose(moved, [1, 0, 2, 3] if axis == 1 else [1, 2, 0, 3])


def _normalize_weights(weights: Tensor) -> Tensor:
    """Return weights whose rows add up to 1, in place of pixels that do not exist."""
    total = reduce_sum(weights, 1, keepdims=True)
    return where_v2(absolute(total) > 1e-35, weights / total, zeros_like(weights))


def _overlaps(places: Tensor, pixels: Tensor, scale: Tensor) -> Tensor:
    first = expand_dims(places * scale, 1)
    last = expand_dims((places + 1.0) * scale, 1)
    parts = minimum(pixels + 1.0, last) - maximum(pixels, first)
    return maximum(parts, 0.0) / scale


def _bicubic(places: Tensor, pixels: Tensor, scale: Tensor) -> Tensor:
    """Return the weights of four pixels; TensorFlow tabulates 1024 distances."""
    positions = (places + 0.5) * scale - 0.5
    whole = floor(positions)
    positions = whole + round((positions - whole) * 1024.0) / 1024.0
    return _normalize_weights(_keys_cubic(absolute(pixels - expand_dims(positions, 1))))


# -- kernels: weights of distances -------------------------------------------------


def _keys_cubic(x: Tensor) -> Tensor:
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return where_v2(x < 1.0, near, where_v2(x < 2.0, far, zeros_like(x)))


def _mitchell_cubic(x: Tensor) -> Tensor:
    near = (7.0 / 6.0 * x - 2.0) * x * x + 8.0 / 9.0
    far = ((-7.0 / 18.0 * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    return where_v2(x < 1.0, near, where_v2(x < 2.0, far, zeros_like(x)))


def _lanczos(radius: float) -> Kernel:
    def kernel(x: Tensor) -> Tensor:
        angle = maximum(x, 1e-3) * math.pi
        value = radius * sin(angle) * sin(angle / radius) / (angle * angle)
        return where_v2(x <= 1e-3, 1.0, value)

    return kernel


_KERNELS: dict[str, tuple[Kernel, float]] = {
    "bilinear": (lambda x: maximum(1.0 - x, 0.0), 1.0),
    "bicubic": (_keys_cubic, 2.0),
    "lanczos3": (_lanczos(3.0), 3.0),
    "lanczos5": (_lanczos(5.0), 5.0),
    "gaussian": (lambda x: exp(x * x * -2.0), 1.5),
    "mitchellcubic": (_mitchell_cubic, 2.0),
}
