"""Colours of images: spaces, brightness, contrast, hue and saturation."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType, as_dtype, float32
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions import reductions
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.arithmetic import maximum, multiply
from tpuref.interface.functions.clipping import clip_by_value
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.conversion import cast, saturate_cast
from tpuref.interface.functions.creation import zeros_like
from tpuref.interface.functions.exponentials import rsqrt
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.joining import concat, stack
from tpuref.interface.functions.linalg import tensordot
from tpuref.interface.functions.random import random_uniform
from tpuref.interface.functions.reshaping import expand_dims
from tpuref.interface.functions.selection import where_v2


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Return an image of another dtype, scaled to its range.

    Floating-point images have values from 0 to 1, integer images from 0 to the largest
    integer.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     pixels = tf.constant([0, 255], tf.uint8)
    ...     tf.image.convert_image_dtype(pixels, tf.float32).numpy().tolist()
    [0.0, 1.0]
    """
    tensor, target = convert_to_tensor(image), as_dtype(dtype)
    convert = saturate_cast if saturate else cast
    if tensor.dtype == target:
        return tensor
    if tensor.dtype.is_integer and target.is_integer:
        return _between_integers(tensor, target, saturate)
    if tensor.dtype.is_integer:
        return multiply(cast(tensor, target), 1.0 / tensor.dtype.max)
    if target.is_integer:
        return convert(tensor * (target.max + 0.5), target)
    return cast(tensor, target)


def _between_integers(tensor: Tensor, target: DType, saturate: bool) -> Tensor:
    own, wanted = tensor.dtype.max, target.max
    if own > wanted:
        reduced = tensor // ((own + 1) // (wanted + 1))
        return saturate_cast(reduced, target) if saturate else cast(reduced, target)
    scale = (wanted + 1) // (own + 1)
    wide = saturate_cast(tensor, target) if saturate else cast(tensor, target)
    return multiply(wide, scale)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Return images in shades of grey, with one channel."""
    tensor = convert_to_tensor(images)
    floats = convert_image_dtype(tensor, float32)
    grey = tensordot(floats, [0.2989, 0.5870, 0.1140], [[-1], [-1]])
    return convert_image_dtype(expand_dims(grey, -1), tensor.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Return images with one channel as images with three equal ones."""
    return concat([convert_to_tensor(images)] * 3, -1)


def _with_three_channels(function: str, images: Any) -> Tensor:
    tensor = convert_to_tensor(images)
    if tensor.shape.rank and tensor.shape.as_list()[-1] not in (None, 3):
        raise codes.WRONG_SHAPE.value_error(
            f"{function}: images have 3 channels, got {tensor.describe()}"
        )
    return tensor


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Return hue, saturation and value of images, from 0 to 1.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.image.rgb_to_hsv([[[0.0, 0.5, 0.0]]]).numpy().round(3).tolist()
    [[[0.3330000042915344, 1.0, 0.5]]]
    """
    tensor = _with_three_channels("tf.image.rgb_to_hsv", images)
    red, green, blue = (tensor[..., k] for k in range(3))
    value = reductions.reduce_max(tensor, -1)
    extent = value - reductions.reduce_min(tensor, -1)
    coloured = extent > 0
    width = where_v2(coloured, extent, zeros_like(extent) + 1)
    bright = where_v2(value > 0, value, zeros_like(value) + 1)
    saturation = where_v2(value > 0, extent / bright, zeros_like(value))
    unit = 1 / (6 * width)
    most_green = where_v2(
        equal(green, value), unit * (blue - red) + 2 / 6, unit * (red - green) + 4 / 6
    )
    hue = where_v2(equal(red, value), unit * (green - blue), most_green)
    hue = where_v2(coloured, hue, zeros_like(hue))
    return stack([where_v2(hue < 0, hue + 1, hue), saturation, value], -1)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Return red, green and blue of images given by hue, saturation and value."""
    tensor = _with_three_channels("tf.image.hsv_to_rgb", images)
    hue, saturation, value = (tensor[..., k] for k in range(3))
    sector = hue * 6
    shares = (
        clip_by_value(absolute(sector - 3) - 1, 0, 1),
        clip_by_value(2 - absolute(sector - 2), 0, 1),
        clip_by_value(2 - absolute(sector - 4), 0, 1),
    )
    return stack(
        [((1 - saturation) + saturation * share) * value for share in shares], -1
    )


# -- adjustments -------------------------------------------------------------------


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Return an image with a number added to its values, on the scale of 0 to 1."""
    tensor = convert_to_tensor(image)
    floats = _floats(tensor)
    brighter = floats + cast(convert_to_tensor(delta), floats.dtype)
    return convert_image_dtype(brighter, tensor.dtype, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Return images whose distances from each channel's mean are multiplied."""
    tensor = convert_to_tensor(images)
    floats = _floats(tensor)
    mean = reductions.reduce_mean(floats, [-3, -2], keepdims=True)
    factor = cast(convert_to_tensor(contrast_factor), floats.dtype)
    changed = (floats - mean) * factor + mean
    return convert_image_dtype(changed, tensor.dtype, saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Return an RGB image with a number added to its hue, where 1 is a full turn."""
    tensor = convert_to_tensor(image)
    colours = rgb_to_hsv(_floats(tensor))
    hue = (colours[..., :1] + cast(convert_to_tensor(delta), colours.dtype)) % 1.0
    changed = hsv_to_rgb(concat([hue, colours[..., 1:]], -1))
    return convert_image_dtype(changed, tensor.dtype, saturate=True)


def adjust_saturation(
    image: Any, saturation_factor: Any, name: str | None = None
) -> Tensor:
    """Return an RGB image with its saturation multiplied, at most 1."""
    tensor = convert_to_tensor(image)
    colours = rgb_to_hsv(_floats(tensor))
    factor = cast(convert_to_tensor(saturation_factor), colours.dtype)
    vivid = clip_by_value(colours[..., 1:2] * factor, 0, 1)
    changed = hsv_to_rgb(concat([colours[..., :1], vivid, colours[..., 2:]], -1))
    return convert_image_dtype(changed, tensor.dtype, saturate=True)


def _floats(image: Tensor) -> Tensor:
    return convert_image_dtype(
        image, float32 if image.dtype.is_integer else image.dtype
    )


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Return `adjust_brightness` by up to `max_delta`, drawn at random."""
    _check_range("random_brightness: max_delta", 0.0, max_delta)
    return adjust_brightness(
        image, random_uniform([], -max_delta, max_delta, seed=seed)
    )


def random_contrast(
    image: Any, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """Return `adjust_contrast` by a factor drawn at random."""
    _check_range("random_contrast: lower and upper", lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Return `adjust_hue` by up to `max_delta`, drawn at random."""
    _check_range("random_hue: max_delta", 0.0, max_delta)
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(
    image: Any, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """Return `adjust_saturation` by a factor drawn at random."""
    _check_range("random_saturation: lower and upper", lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


def _check_range(argument: str, lower: float, upper: float) -> None:
    if not 0 <= lower <= upper:
        raise coded(
            ValueError,
            f"tf.image.{argument}: expected 0 <= {lower!r} <= {upper!r}",
            code=codes.INVALID_ARGUMENT,
        )


def per_image_standardization(image: Any) -> Tensor:
    """Return images of mean 0 and variance 1, float32 or their own floating dtype."""
    tensor = convert_to_tensor(image)
    floats = cast(tensor, float32 if tensor.dtype.is_integer else tensor.dtype)
    axes = [-1, -2, -3]
    count = cast(reductions.reduce_prod(shape_of(tensor)[-3:]), floats.dtype)
    deviation = reductions.reduce_variance(floats, axes, keepdims=True) ** 0.5
    mean = reductions.reduce_mean(floats, axes, keepdims=True)
    return (floats - mean) / maximum(deviation, rsqrt(count))
