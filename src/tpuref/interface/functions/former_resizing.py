"""Resizing of TensorFlow 1, whose first pixel of the result is that of the image.

Pixel k of the result is at ``k * scale`` of the image; `resize` of TensorFlow 2 goes by
the centres of pixels instead.
"""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import float32, int32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import add_n, maximum, minimum
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.images import padded_to_size
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.reshaping import expand_dims
from tpuref.interface.functions.resizing import (
    batched,
    new_size,
    resize,
    unbatched,
    weighted,
)
from tpuref.interface.functions.rounding import floor, round
from tpuref.interface.functions.selection import where_v2


class ResizeMethod:
    """The numbers of the methods of `resize_images`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS = ("bilinear", "nearest", "bicubic", "area")


def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return images of another size, float32; nearest neighbours keep the dtype.

    Images that have the size already are returned unchanged.  `images` is one image,
    ``[height, width, channels]``, or a batch of images.  `size` are the new height and
    width.  `method` is a member of `ResizeMethod`, or its name: ``bilinear``,
    ``nearest``, ``bicubic`` or ``area``.  `align_corners` says whether the last pixels
    of image and result are aligned, too.  `preserve_aspect_ratio` says whether to take
    the largest size of the images' own shape within `size`.

    Examples
    --------
    >>> image = [[[1.0], [3.0]]]
    >>> tf.Session().run(tf.image.resize_images(image, [1, 4])).ravel().tolist()
    [1.0, 2.0, 3.0, 3.0]
    """
    known = dict(enumerate(_METHODS)) | {name: name for name in _METHODS}
    if method not in known:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.image.resize_images: method: expected a member of tf.image."
            f"ResizeMethod, or one of {_METHODS}, got {method!r}"
        )
    batch, single = batched(images, "tf.image.resize_images")
    wanted = new_size(batch, size, preserve_aspect_ratio)
    lengths = convert_to_tensor(wanted, int32).operand().value
    if lengths is not None and batch.shape.as_list()[1:3] == lengths.tolist():
        return convert_to_tensor(images)
    for axis in (1, 2):
        batch = _along(batch, axis, wanted[axis - 1], known[method], align_corners)
    if lengths is not None:
        batch.set_shape([None, *lengths.tolist(), None])
    return unbatched(batch, single)


def _operation(method: str) -> Any:
    def function(
        images: Any,
        size: Any,
        align_corners: bool = False,
        name: str | None = None,
        half_pixel_centers: bool = False,
    ) -> Tensor:
        if half_pixel_centers:
            return resize(images, size, method)
        return resize_images(images, size, method, align_corners)

    spelled = "nearest_neighbor" if method == "nearest" else method
    function.__name__ = function.__qualname__ = f"resize_{spelled}"
    function.__doc__ = f"""Return a batch of images of another size.

    It is `tf.image.resize_images` by the method ``{method}``, or, if
    `half_pixel_centers` is true, `tf.image.resize` of TensorFlow 2.
    """
    return function


resize_area = _operation("area")
resize_bicubic = _operation("bicubic")
resize_bilinear = _operation("bilinear")
resize_nearest_neighbor = _operation("nearest")


def resize_image_with_pad(
    image: Any,
    target_height: int,
    target_width: int,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Return an image resized without distortion, in the middle of zeros.

    `method` and `align_corners` are as for `resize_images`.
    """

    def resized(images: Tensor, lengths: Tensor) -> Tensor:
        return resize_images(images, lengths, method, align_corners)

    return padded_to_size(
        "tf.image.resize_image_with_pad", image, target_height, target_width, resized
    )


def _along(
    images: Tensor, axis: int, length: Any, method: str, align_corners: bool
) -> Tensor:
    """Return images with another length of one axis."""
    size = cast(shape_of(images)[axis], float32)
    count = cast(length, float32)
    scale = size / count
    if align_corners:
        scale = where_v2(count > 1.0, (size - 1.0) / maximum(count - 1.0, 1.0), scale)
    positions = cast(numbers(length), float32) * scale
    if method == "nearest":
        whole = floor(positions + 0.5 if align_corners else positions)
        return gather(images, cast(minimum(whole, size - 1.0), int32), axis=axis)
    pixels = cast(numbers(shape_of(images)[axis]), float32)
    positions = expand_dims(positions, 1)
    if method == "area":
        # The last pixel goes on beyond the image.
        ends = where_v2(equal(pixels, size - 1.0), size + scale, pixels + 1.0)
        shared = minimum(ends, positions + scale) - maximum(pixels, positions)
        return weighted(images, maximum(shared, 0.0) / scale, axis)
    whole = floor(positions)
    rest = positions - whole
    taps = {0: 1.0 - rest, 1: rest} if method == "bilinear" else _cubic(rest)
    parts = []
    for offset, factor in taps.items():
        tap = minimum(maximum(whole + float(offset), 0.0), size - 1.0)
        parts.append(where_v2(equal(pixels, tap), factor, 0.0))
    return weighted(images, add_n(parts), axis)


def _cubic(rest: Tensor) -> dict[int, Tensor]:
    """Return the weights of four pixels; TensorFlow tabulates 1024 distances."""
    a, rest = -0.75, round(rest * 1024.0) / 1024.0

    def near(x: Tensor) -> Tensor:
        return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0

    def far(x: Tensor) -> Tensor:
        return ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a

    after = 1.0 - rest
    return {-1: far(rest + 1.0), 0: near(rest), 1: near(after), 2: far(after + 1.0)}
