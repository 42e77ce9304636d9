"""The geometry of images: crops, padding, flips, turns and patches."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import float32, int32
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import maximum, minimum
from tpuref.interface.functions.branches import switch_case
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import eye
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.image_transforms import crops
from tpuref.interface.functions.indexing import slice as cut
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.random import random_uniform
from tpuref.interface.functions.repetition import pad
from tpuref.interface.functions.reshaping import reshape, reverse
from tpuref.interface.functions.reshaping import transpose as transposed
from tpuref.interface.functions.resizing import batched, resize, unbatched
from tpuref.interface.functions.rounding import floor
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.functions.windows import conv2d_v2, depthwise_conv2d


def sobel_edges(image: Any) -> Tensor:
    """Return the Sobel gradients of images along y and x, in a new last axis.

    `image` has the shape ``[batch, height, width, channels]``; it is mirrored at its
    edges.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     ramp = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     tf.image.sobel_edges(ramp)[0, 1, 1, 0].numpy().tolist()
    [24.0, 8.0]
    """
    tensor = convert_to_tensor(image)
    channels = tensor.shape.as_list()[-1]
    across = np.outer([1, 2, 1], [-1, 0, 1])
    filters = np.stack([across.T, across], -1)[:, :, None]
    filters = np.repeat(filters, int(channels or 1), 2).astype(tensor.dtype.np)
    padded = pad(tensor, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    edges = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    return reshape(edges, concat([shape_of(tensor), [2]], 0))


def crop_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Tensor:
    """Return a rectangle of an image, or of each image of a batch.

    It raises ValueError if the rectangle is known to lie outside of the image.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     part = tf.image.crop_to_bounding_box(tf.ones([4, 4, 3]), 1, 0, 2, 3)
    ...     part.shape.as_list()
    [2, 3, 3]
    """
    images, single = batched(image, "tf.image.crop_to_bounding_box")
    _, height, width, _ = images.shape.as_list()
    _check_within("offset_height", offset_height, target_height, height)
    _check_within("offset_width", offset_width, target_width, width)
    sizes = shape_of(images)
    begin = [0, offset_height, offset_width, 0]
    part = cut(images, begin, [sizes[0], target_height, target_width, sizes[3]])
    return unbatched(part, single)


def _check_within(argument: str, offset: Any, target: Any, size: int | None) -> None:
    known = isinstance(offset, int) and isinstance(target, int)
    if known and (offset < 0 or (size is not None and offset + target > size)):
        raise coded(
            ValueError,
            f"tf.image.crop_to_bounding_box: {argument} must be between 0 and "
            f"{None if size is None else size - target}, got {offset}: {target} pixels "
            f"are wanted of {size}",
            code=codes.INVALID_ARGUMENT,
        )


def pad_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Tensor:
    """Return an image, or each image of a batch, padded with zeros to a size.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 1, 3).numpy().ravel()
    array([0., 1., 0.], dtype=float32)
    """
    images, single = batched(image, "tf.image.pad_to_bounding_box")
    _, height, width, _ = images.shape.as_list()
    sizes = shape_of(images)
    high = sizes[1] if height is None else height
    wide = sizes[2] if width is None else width
    below = target_height - offset_height - high
    right = target_width - offset_width - wide
    if any(isinstance(x, int) and x < 0 for x in (offset_height, offset_width)) or any(
        isinstance(x, int) and x < 0 for x in (below, right)
    ):
        raise coded(
            ValueError,
            f"tf.image.pad_to_bounding_box: an image of {height} x {width} pixels at "
            f"({offset_height}, {offset_width}) does not fit into {target_height} x "
            f"{target_width}",
            code=codes.INVALID_ARGUMENT,
        )
    margins = [[0, 0], [offset_height, below], [offset_width, right], [0, 0]]
    return unbatched(pad(images, margins), single)


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """Return the middle of an image, a fraction of its height and width."""
    if not 0 < central_fraction <= 1:
        raise coded(
            ValueError,
            "tf.image.central_crop: central_fraction must be above 0 and at most 1, "
            f"got {central_fraction!r}",
            code=codes.INVALID_ARGUMENT,
        )
    images, single = batched(image, "tf.image.central_crop")
    if central_fraction == 1:
        return unbatched(images, single)
    sizes = shape_of(images)
    lengths = cast(sizes[1:3], float32)
    starts = cast((lengths - lengths * central_fraction) / 2.0, int32)
    ends = sizes[1:3] - starts * 2
    begin = [0, starts[0], starts[1], 0]
    return unbatched(cut(images, begin, [sizes[0], ends[0], ends[1], sizes[3]]), single)


def resize_with_crop_or_pad(
    image: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Return an image cropped or padded with zeros to a size, on all sides alike.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.image.resize_with_crop_or_pad(tf.ones([4, 1, 1]), 2, 3).shape.as_list()
    [2, 3, 1]
    """
    images, single = batched(image, "tf.image.resize_with_crop_or_pad")
    _, height, width, _ = images.shape.as_list()
    sizes = shape_of(images)
    cuts: list[Any] = []
    margins: list[Any] = []
    for own, target, axis in ((height, target_height, 1), (width, target_width, 2)):
        if own is not None and isinstance(target, int):
            extra = own - target
            over: Any = max(extra, 0)
            under: Any = max(-extra, 0)
            kept: Any = min(own, target)
        else:
            size, wanted = sizes[axis], convert_to_tensor(target, int32)
            over, under = maximum(size - wanted, 0), maximum(wanted - size, 0)
            kept = minimum(size, wanted)
        cuts.append((over // 2, kept))
        margins.append([under // 2, under - under // 2])
    (top, rows), (left, columns) = cuts
    part = cut(images, [0, top, left, 0], [sizes[0], rows, columns, sizes[3]])
    whole = pad(part, [[0, 0], *margins, [0, 0]])
    if isinstance(target_height, int) and isinstance(target_width, int):
        whole.set_shape([None, target_height, target_width, None])
    return unbatched(whole, single)


def resize_with_pad(
    image: Any,
    target_height: int,
    target_width: int,
    method: str = "bilinear",
    antialias: bool = False,
) -> Tensor:
    """Return an image resized without distortion, centered and padded with zeros."""

    def resized(images: Tensor, lengths: Tensor) -> Tensor:
        return resize(images, lengths, method, antialias=antialias)

    return padded_to_size(
        "tf.image.resize_with_pad", image, target_height, target_width, resized
    )


def padded_to_size(
    caller: str,
    image: Any,
    target_height: int,
    target_width: int,
    resized_to: Callable[[Tensor, Tensor], Tensor],
) -> Tensor:
    """Return an image resized by a function, centered and padded with zeros."""
    images, single = batched(image, caller)
    own = cast(shape_of(images)[1:3], float32)
    wanted = convert_to_tensor([target_height, target_width], float32)
    ratios = own / wanted
    fitting = own / maximum(ratios[0], ratios[1])
    resized = resized_to(images, cast(floor(fitting), int32))
    missing = maximum(0, cast(floor((wanted - fitting) / 2.0), int32))
    whole = pad_to_bounding_box(
        resized, missing[0], missing[1], target_height, target_width
    )
    whole.set_shape([None, target_height, target_width, images.shape.as_list()[3]])
    return unbatched(whole, single)


# -- mirrors and turns -------------------------------------------------------------


def flip_left_right(image: Any) -> Tensor:
    """Return an image, or each image of a batch, mirrored: left becomes right."""
    images, single = batched(image, "tf.image.flip_left_right")
    return unbatched(reverse(images, [2]), single)


def flip_up_down(image: Any) -> Tensor:
    """Return an image, or each image of a batch, upside down."""
    images, single = batched(image, "tf.image.flip_up_down")
    return unbatched(reverse(images, [1]), single)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Return an image, or each image of a batch, turned left `k` times by 90 degrees.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.image.rot90([[[1], [2]]]).numpy().tolist()
    [[[2]], [[1]]]
    """
    images, single = batched(image, "tf.image.rot90")
    turns = [
        lambda: images,
        lambda: reverse(transposed(images, [0, 2, 1, 3]), [1]),
        lambda: reverse(images, [1, 2]),
        lambda: transposed(reverse(images, [1]), [0, 2, 1, 3]),
    ]
    known = convert_to_tensor(k).operand().value
    if known is not None:
        return unbatched(turns[int(known) % 4](), single)
    turned: Tensor = switch_case(cast(k, int32) % 4, turns)
    return unbatched(turned, single)


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Return `flip_left_right` of each image with probability 1/2."""
    images, single = batched(image, "tf.image.random_flip_left_right")
    return _flip_some(
        images, random_uniform([shape_of(images)[0]], seed=seed), 2, single
    )


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Return `flip_up_down` of each image with probability 1/2."""
    images, single = batched(image, "tf.image.random_flip_up_down")
    return _flip_some(
        images, random_uniform([shape_of(images)[0]], seed=seed), 1, single
    )


def _flip_some(images: Tensor, drawn: Tensor, axis: int, single: bool) -> Tensor:
    chosen = reshape(drawn < 0.5, [-1, 1, 1, 1])
    return unbatched(where_v2(chosen, reverse(images, [axis]), images), single)


def random_crop(
    value: Any, size: Any, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Return a slice of a given size from a random place of a tensor."""
    tensor, wanted = convert_to_tensor(value), convert_to_tensor(size, int32)
    room = cast(shape_of(tensor) - wanted + 1, float32)
    drawn = random_uniform([len(tensor.shape)], seed=seed)
    return cut(tensor, cast(floor(drawn * room), int32), wanted)


def extract_patches(
    images: Any,
    sizes: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Return the windows of images, each as one row of channels.

    `images` is a batch, ``[batch, height, width, channels]``.  `sizes`, `strides` and
    `rates` are those of windows, ``[1, rows, columns, 1]``; `rates` are the distances
    between the pixels of a window.  `padding` is ``"VALID"`` or ``"SAME"``.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     windows = tf.image.extract_patches(
    ...         tf.ones([1, 4, 4, 2]), [1, 2, 2, 1], [1, 2, 2, 1], [1] * 4, "VALID")
    ...     windows.shape.as_list()
    [1, 2, 2, 8]
    """
    tensor = convert_to_tensor(images)
    channels: Any = tensor.shape.as_list()[3]
    rows, columns = int(sizes[1]), int(sizes[2])
    length = rows * columns * channels
    computed = float32 if tensor.dtype.is_integer else tensor.dtype
    one_each = reshape(eye(length, dtype=computed), [rows, columns, channels, length])
    steps, spread = [int(s) for s in strides[1:3]], [int(r) for r in rates[1:3]]
    windows = conv2d_v2(
        cast(tensor, computed), one_each, steps, padding, "NHWC", spread
    )
    return cast(windows, tensor.dtype)


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Return rectangles of images, all resized to one size, float32.

    `image` is a batch of images.  `boxes` has the shape ``[boxes, 4]``: top, left,
    bottom and right, as fractions of the image.  `box_indices` are the numbers of the
    image of each box.  `crop_size` is the height and width of the result.  `method` is
    ``"bilinear"`` or ``"nearest"``.  `extrapolation_value` is the value outside of an
    image.
    """
    images = cast(convert_to_tensor(image), float32)
    corners = convert_to_tensor(boxes, float32)
    return crops(
        images, corners, box_indices, crop_size, method, float(extrapolation_value)
    )
