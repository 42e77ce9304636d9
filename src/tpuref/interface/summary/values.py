"""Serialize summaries of arrays as `tf.Summary` messages."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, string
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.ops.definition import Array
from tpuref.interface.summary.messages import Summary, SummaryMetadata
from tpuref.interface.summary.png import encoded_png

Doubles = npt.NDArray[np.float64]


def scalar_summary(tag: str, value: Any) -> bytes:
    """Return the summary of one number."""
    array = np.asarray(value)
    if array.size != 1:
        raise _value_error("scalar", tag, f"one number, got shape {list(array.shape)}")
    return _serialize(Summary.Value(tag=tag, simple_value=float(array.reshape(())[()])))


def histogram_summary(tag: str, value: Any) -> bytes:
    """Return the summary of the distribution of numbers."""
    values = np.asarray(value).astype(np.float64).ravel()
    if not np.isfinite(values).all():
        raise _value_error("histogram", tag, "finite numbers, got NaN or infinity")
    limits = _limits()
    places = np.searchsorted(limits[:-1], values, side="right")
    counts = np.bincount(places, minlength=limits.size)
    summary = Summary.Value(tag=tag)
    histogram = summary.histo
    if values.size:
        histogram.min, histogram.max = float(np.min(values)), float(np.max(values))
        histogram.num, histogram.sum = float(values.size), float(values.sum())
        histogram.sum_squares = float(np.square(values).sum())
    # A bucket is written if it is full, or if its limit is the start of a full one.
    full = counts > 0
    shown = full | np.append(full[1:], True)
    histogram.bucket_limit.extend(limits[shown].tolist())
    histogram.bucket.extend(counts[shown].astype(np.float64).tolist())
    return _serialize(summary)


@functools.cache
def _limits() -> Doubles:
    """Return the upper limits of the buckets, which grow by a factor of 1.1 from 0."""
    up = 1e-12 * 1.1 ** np.arange(775)
    positive = np.append(up[up < 1e20], np.finfo(np.float64).max)
    return np.concatenate([-positive[::-1], [0.0], positive])


def image_summary(
    tag: str, value: Any, max_outputs: int = 3, bad_color: Sequence[int] = (255, 0, 0)
) -> bytes:
    """Return the summary of images of shape ``[batch, height, width, channels]``."""
    pictures = np.asarray(value)
    if pictures.ndim != 4 or not 1 <= pictures.shape[-1] <= 4:
        raise _value_error(
            "image",
            tag,
            "pictures of shape [batch, height, width, 1 to 4], got "
            f"{list(pictures.shape)}",
        )
    shown = pictures[:max_outputs]
    values = []
    for k, picture in enumerate(shown):
        name = f"{tag}/image" if max_outputs == 1 else f"{tag}/image/{k}"
        one = Summary.Value(tag=name)
        one.image.height, one.image.width, one.image.colorspace = picture.shape
        one.image.encoded_image_string = encoded_png(_as_bytes(picture, bad_color))
        values.append(one)
    return _serialize(*values)


def _as_bytes(picture: Array, bad_color: Sequence[int]) -> Array:
    """Return the pixels of an image as uint8; real numbers are scaled as in TensorFlow.

    Without negative numbers, the maximum becomes 255.  Otherwise 0 becomes 128, and the
    largest magnitude is scaled to 127.
    """
    if picture.dtype == np.uint8:
        return picture
    pixels = picture.astype(np.float64)
    bad = ~np.isfinite(pixels).all(axis=-1)
    good = pixels[~bad]
    least, most = (np.min(good), np.max(good)) if good.size else (0.0, 0.0)
    if least < 0:
        largest = max(abs(least), abs(most))
        scale, offset = (127.0 / largest if largest else 0.0), 128.0
    else:
        scale, offset = (255.0 / most if most else 0.0), 0.0
    pixels[bad] = 0.0
    result = np.clip(pixels * scale + offset, 0, 255).astype(np.uint8)
    result[bad] = np.resize([*bad_color, 255], 4)[: picture.shape[-1]]
    return result


def text_summary(tag: str, value: Any) -> bytes:
    """Return the summary of texts."""
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(tag, np.asarray(value, object), metadata)


def tensor_summary(tag: str, array: Array, metadata: Any) -> bytes:
    """Return the summary of a tensor for a plugin of TensorBoard."""
    summary = Summary.Value(tag=tag, metadata=metadata)
    tensor = summary.tensor
    for size in array.shape:
        tensor.tensor_shape.dim.add(size=size)
    if array.dtype.kind in "OSU":
        tensor.dtype = string.as_datatype_enum
        tensor.string_val.extend(
            one.encode() if isinstance(one, str) else bytes(one) for one in array.flat
        )
    else:
        tensor.dtype = as_dtype(array.dtype).as_datatype_enum
        tensor.tensor_content = array.tobytes()
    return _serialize(summary)


def histogram_buckets(value: Array, buckets: int) -> Array:
    """Return a row of the left edge, the right edge and the count for each bucket.

    All buckets are equally wide.  Equal numbers are in the last bucket, of no width.
    """
    numbers = value.astype(np.float64).ravel()
    if not numbers.size or not buckets:
        return np.zeros((buckets, 3))
    least, most = np.min(numbers), np.max(numbers)
    edges = np.linspace(least, most, buckets + 1)
    counts = np.zeros(buckets)
    if least == most:
        counts[-1] = numbers.size
    else:
        places = np.floor((numbers - least) / ((most - least) / buckets)).astype(int)
        counts += np.bincount(np.minimum(places, buckets - 1), minlength=buckets)
    return np.stack([edges[:-1], edges[1:], counts], 1)


def image_texts(value: Array, max_outputs: int) -> Array:
    """Return the width, the height and the encoded images of a batch."""
    _, height, width, _ = value.shape
    images = [encoded_png(image) for image in value[:max_outputs]]
    return np.array([b"%d" % width, b"%d" % height, *images], object)


def merged(serialized: Sequence[bytes]) -> bytes:
    """Return summaries as one; InvalidArgumentError if two have the same tag."""
    whole = Summary()
    for one in serialized:
        whole.MergeFromString(one)
    tags = [value.tag for value in whole.value]
    twice = sorted({tag for tag in tags if tags.count(tag) > 1})
    if twice:
        raise InvalidArgumentError(
            f"tf.summary.merge: several summaries have the tag {twice[0]!r}; give each "
            "a name of its own",
            code=codes.INVALID_ARGUMENT,
        )
    content: bytes = whole.SerializeToString()
    return content


def _serialize(*values: Any) -> bytes:
    content: bytes = Summary(value=values).SerializeToString()
    return content


def _value_error(kind: str, tag: str, expected: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"tf.summary.{kind}: the summary {tag!r} takes {expected}",
        code=codes.INVALID_ARGUMENT,
    )
