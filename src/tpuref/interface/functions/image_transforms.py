"""Images sampled at computed places, as by TensorFlow's kernel for projections."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import float32, int32
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import maximum, minimum
from tpuref.interface.functions.clipping import clip_by_value
from tpuref.interface.functions.comparison import not_equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones_like, zeros_like
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.logic import logical_and
from tpuref.interface.functions.reshaping import broadcast_to, reshape
from tpuref.interface.functions.rounding import ceil, floor
from tpuref.interface.functions.selection import where_v2


def ImageProjectiveTransformV3(
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> Tensor:
    """Return images seen through projections.

    The pixel ``(x, y)`` of the result is the one at ``((a0 x + a1 y + a2) / k, (b0 x +
    b1 y + b2) / k)`` of the image, with ``k = c0 x + c1 y + 1``.  `images` is a batch,
    ``[batch, height, width, channels]``.  `transforms` is ``[batch, 8]`` or ``[1, 8]``:
    a0, a1, a2, b0, b1, b2, c0 and c1.  `output_shape` is height and width of the
    result.  `fill_value` is the value of pixels outside of an image in the mode
    ``CONSTANT``.  `interpolation` is ``"NEAREST"`` or ``"BILINEAR"``.  `fill_mode` is
    ``"CONSTANT"``, ``"REFLECT"``, ``"WRAP"`` or ``"NEAREST"``.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.raw_ops.ImageProjectiveTransformV3(
    ...         images=[[[[1.0], [2.0], [3.0]]]], transforms=[[1, 0, 1, 0, 1, 0, 0, 0]],
    ...         output_shape=[1, 3], fill_value=0.0, interpolation="NEAREST",
    ...     ).numpy().ravel().tolist()
    [2.0, 3.0, 0.0]
    """
    tensor = convert_to_tensor(images)
    weights = convert_to_tensor(transforms, float32)
    size = cast(convert_to_tensor(output_shape), int32)
    extents = shape_of(tensor)
    x = cast(numbers(size[1]), float32)
    y = reshape(cast(numbers(size[0]), float32), [-1, 1])
    a0, a1, a2, b0, b1, b2, c0, c1 = (
        reshape(weights[:, k], [-1, 1, 1]) for k in range(8)
    )
    depth = c0 * x + c1 * y + 1.0
    seen = not_equal(depth, 0.0)
    divisor = where_v2(seen, depth, ones_like(depth))
    places = (
        _within(fill_mode, (b0 * x + b1 * y + b2) / divisor, extents[1]),
        _within(fill_mode, (a0 * x + a1 * y + a2) / divisor, extents[2]),
    )
    batch = reshape(numbers(extents[0]), [-1, 1, 1])
    fill = cast(convert_to_tensor(fill_value), tensor.dtype)
    pixels = sampled(tensor, batch, places, interpolation.lower(), fill)
    result = where_v2(_last(broadcast_to(seen, shape_of(pixels)[:3])), pixels, fill)
    known = size.operand().value
    sizes = [None, None] if known is None else known.tolist()
    result.set_shape([tensor.shape[0], *sizes, tensor.shape[3]])
    return result


def _within(mode: str, place: Tensor, size: Tensor) -> Tensor:
    """Return coordinates that a mode moves into an image of a size."""
    length = cast(size, float32)
    last = length - 1.0
    mode = mode.upper()
    if mode == "CONSTANT":
        return place
    if mode == "NEAREST":
        return clip_by_value(place, 0.0, last)
    if mode == "REFLECT":
        double = 2.0 * length
        low = where_v2(place < -double, place + double * floor(-place / double), place)
        low = where_v2(low < -length, low + double, -low - 1.0)
        high = place - double * floor(place / double)
        high = where_v2(high >= length, double - high - 1.0, high)
    elif mode == "WRAP":
        room = maximum(last, 1.0)
        low = place + length * (floor(-place / room) + 1.0)
        high = place - length * floor(place / room)
    else:
        raise coded(
            ValueError,
            "ImageProjectiveTransformV3: fill_mode must be 'CONSTANT', 'REFLECT', "
            f"'WRAP' or 'NEAREST', got {mode!r}",
            code=codes.INVALID_ARGUMENT,
        )
    moved = where_v2(place < 0.0, low, where_v2(place > last, high, place))
    return clip_by_value(where_v2(last > 0.0, moved, zeros_like(moved)), 0.0, last)


def sampled(
    images: Tensor,
    batch: Tensor,
    places: tuple[Tensor, Tensor],
    interpolation: str,
    fill: Tensor,
) -> Tensor:
    """Return the pixels at places, rows and columns, of the images numbered `batch`."""
    y, x = places
    if interpolation == "nearest":
        nearest = [_half_away(y), _half_away(x)]
        return _read(images, batch, nearest[0], nearest[1], fill)
    top, left = floor(y), floor(x)
    right = _last(x - left)
    below = _last(y - top)
    read = [
        cast(_read(images, batch, top + j, left + i, fill), float32)
        for j in (0.0, 1.0)
        for i in (0.0, 1.0)
    ]
    upper = read[0] * (1.0 - right) + read[1] * right
    lower = read[2] * (1.0 - right) + read[3] * right
    return cast(upper * (1.0 - below) + lower * below, images.dtype)


def _half_away(x: Tensor) -> Tensor:
    """Round halves away from 0, as C does."""
    return where_v2(x < 0.0, ceil(x - 0.5), floor(x + 0.5))


def _last(x: Tensor) -> Tensor:
    return x[..., None]


def _read(images: Tensor, batch: Tensor, y: Tensor, x: Tensor, fill: Tensor) -> Tensor:
    """Return pixels at whole coordinates, and the fill value outside of the image."""
    sizes = shape_of(images)
    bottom, edge = (cast(sizes[k] - 1, float32) for k in (1, 2))
    inside = logical_and(
        logical_and(y >= 0.0, y <= bottom), logical_and(x >= 0.0, x <= edge)
    )
    row = cast(clip_by_value(y, 0.0, bottom), int32)
    column = cast(clip_by_value(x, 0.0, edge), int32)
    flat = reshape(images, [-1, sizes[3]])
    pixels = gather(flat, (batch * sizes[1] + row) * sizes[2] + column)
    return where_v2(_last(broadcast_to(inside, shape_of(pixels)[:3])), pixels, fill)


def crops(
    images: Tensor,
    boxes: Tensor,
    box_indices: Any,
    crop_size: Any,
    method: str,
    extrapolation_value: float,
) -> Tensor:
    """Return the pixels of boxes, as `tf.image.crop_and_resize`."""
    sizes, size = shape_of(images), convert_to_tensor(crop_size, int32)
    places = []
    for axis, (first, last) in ((0, (0, 2)), (1, (1, 3))):
        begin, end = boxes[:, first, None], boxes[:, last, None]
        edge = cast(sizes[axis + 1] - 1, float32)
        count = size[axis]
        step = (end - begin) * edge / maximum(cast(count - 1, float32), 1.0)
        spread = begin * edge + cast(numbers(count), float32) * step
        middle = 0.5 * (begin + end) * edge + zeros_like(spread)
        places.append(where_v2(count > 1, spread, middle))
    y, x = places[0][:, :, None], places[1][:, None, :]
    whole = shape_of(y + x)
    batch = reshape(convert_to_tensor(box_indices, int32), [-1, 1, 1])
    edges = [cast(sizes[k] - 1, float32) for k in (1, 2)]
    inside = logical_and(
        logical_and(y >= 0.0, y <= edges[0]), logical_and(x >= 0.0, x <= edges[1])
    )
    fill = convert_to_tensor(extrapolation_value, float32)
    grid = (broadcast_to(y, whole), broadcast_to(x, whole))
    kept = tuple(minimum(place, edge) for place, edge in zip(grid, edges, strict=True))
    pixels = sampled(images, batch, (kept[0], kept[1]), method, fill)
    return where_v2(_last(broadcast_to(inside, whole)), pixels, fill)
