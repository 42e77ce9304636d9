"""Images as the bytes of files: JPEG, PNG, BMP and GIF, read and written by Pillow."""

import io
from types import ModuleType
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, string, uint8, uint16
from tpuref.base.errors import InvalidArgumentError, coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.functions.colors import convert_image_dtype
from tpuref.interface.functions.host_functions import py_func

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Return the image in the bytes of a JPEG file, [height, width, channels] uint8.

    `contents` is a scalar string.  Files of the other formats are read as well.
    `channels` is 1 for shades of grey, 3 for colours, 0 for those of the file.  `ratio`
    is 1, 2, 4 or 8: the image becomes smaller by it.  `fancy_upscaling`,
    `acceptable_fraction` and `dct_method` are accepted for compatibility.
    `try_recover_truncated` says whether to fill the missing part of a file.
    """
    return _decode(
        "DecodeJpeg", contents, channels, ratio=ratio, truncated=try_recover_truncated
    )


def decode_png(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """Return the image in the bytes of a PNG file, ``[height, width, channels]``.

    `channels` is 1, 3, 4, or 0 for those of the file; `dtype` is uint8 or uint16.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     file = tf.io.encode_png(tf.constant([[[0], [200]]], tf.uint8))
    ...     tf.io.decode_png(file).numpy().ravel().tolist()
    [0, 200]
    """
    return _decode("DecodePng", contents, channels, dtype=dtype)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """Return the image in the bytes of a BMP file, as `decode_png` does."""
    return _decode("DecodeBmp", contents, channels)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """Return the frames of a GIF file, ``[frames, height, width, 3]`` uint8."""
    return _decode("DecodeGif", contents, 3, frames=True)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Return the image in the bytes of a JPEG, PNG, BMP or GIF file.

    `contents` and `channels` are as for `decode_png`.  `dtype` is any real dtype;
    values are scaled as by `tf.image.convert_image_dtype`.  `expand_animations` says
    whether a GIF file gives all frames, with a dimension of them; then the rank of the
    result is unknown.  Otherwise it gives its first frame.
    """
    target = as_dtype(dtype)
    kept = uint16 if target == uint16 else uint8
    image = _decode(
        "DecodeImage", contents, channels or 0, dtype=kept, frames=expand_animations
    )
    return convert_image_dtype(image, target)


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Return an image, uint8 or uint16, as the bytes of a PNG file.

    It has 1 (grey), 3 (RGB) or 4 (RGBA) channels; `compression` is from 0 to 9, -1 for
    the default.
    """

    def encoded(pixels: Array) -> bytes:
        options = {} if compression < 0 else {"compress_level": compression}
        return _encode(pixels, "PNG", options)

    return _bytes("EncodePng", encoded, image)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Return an image, uint8 of 1 or 3 channels, as the bytes of a JPEG file.

    `quality` is from 0 to 100.  `format` and `xmp_metadata` are accepted for
    compatibility.
    """
    options = {
        "quality": quality,
        "progressive": progressive,
        "optimize": optimize_size,
        "subsampling": "4:2:0" if chroma_downsampling else "4:4:4",
        "dpi": (x_density, y_density),
    }
    return _bytes("EncodeJpeg", lambda pixels: _encode(pixels, "JPEG", options), image)


def _decode(
    op: str, contents: Any, channels: int, *, dtype: Any = uint8, **options: Any
) -> Tensor:
    if channels not in (0, *_MODES):
        raise coded(
            ValueError,
            f"tf.io: {op}: channels must be 0, 1, 3 or 4, got {channels!r}",
            code=codes.INVALID_ARGUMENT,
        )
    target = as_dtype(dtype)
    _pillow()

    def read(data: bytes) -> Array:
        return _read(op, data, channels, target.as_numpy_dtype, **options)

    image: Tensor = py_func(
        read, [convert_to_tensor(contents, string)], target, name=op
    )
    if not options.get("frames"):
        image.set_shape([None, None, channels or None])
    elif op == "DecodeGif":
        image.set_shape([None, None, None, 3])
    return image


def _read(
    op: str,
    data: bytes,
    channels: int,
    dtype: Any,
    ratio: int = 1,
    truncated: bool = False,
    frames: bool = False,
) -> Array:
    pillow = _pillow()
    files: Any = pillow.ImageFile
    try:
        files.LOAD_TRUNCATED_IMAGES = truncated
        with pillow.Image.open(io.BytesIO(data)) as image:
            if ratio > 1:
                image.draft(image.mode, (image.width // ratio, image.height // ratio))
            if image.format == "GIF" and frames:
                sequence = pillow.ImageSequence.Iterator(image)
                return np.stack(
                    [np.asarray(frame.convert("RGB")) for frame in sequence]
                )
            pixels = _pixels(image, channels)
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidArgumentError(
            f"tf.io: {op}: the {len(data)} bytes are no image that Pillow reads: "
            f"{error}",
            code=codes.DAMAGED_FILE,
        ) from None
    finally:
        files.LOAD_TRUNCATED_IMAGES = False
    if pixels.dtype == dtype:
        return pixels
    wide = pixels.dtype.itemsize > np.dtype(dtype).itemsize
    return (pixels >> 8 if wide else pixels.astype(dtype) * 257).astype(dtype)


def _pixels(image: Any, channels: int) -> Array:
    if image.mode.startswith("I") and channels in (0, 1):  # 16 bits
        return np.asarray(image).astype(np.uint16)[..., None]
    mode = _MODES.get(channels)
    if mode is None:
        grey = image.mode in ("1", "L")
        alpha = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
        mode = "L" if grey and not alpha else "RGBA" if alpha else "RGB"
    pixels = np.asarray(image.convert(mode))
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _encode(pixels: Array, format: str, options: dict[str, Any]) -> bytes:
    if pixels.ndim != 3 or pixels.shape[2] not in _MODES:
        raise InvalidArgumentError(
            f"tf.io: an image of {format} has the shape [height, width, channels] with "
            f"1, 3 or 4 channels, got {list(pixels.shape)}",
            code=codes.SHAPES_DIFFER,
        )
    one = pixels[..., 0] if pixels.shape[2] == 1 else pixels
    if one.dtype != np.uint8 and (one.ndim == 3 or one.dtype != np.uint16):
        raise InvalidArgumentError(
            f"tf.io: an image of {format} is uint8, or uint16 with one channel, got "
            f"{one.dtype.name} {list(pixels.shape)}",
            code=codes.WRONG_ARGUMENT_TYPE,
        )
    file = io.BytesIO()
    _pillow().Image.fromarray(one).save(file, format, **options)
    return file.getvalue()


def _bytes(op: str, encode: Any, image: Any) -> Tensor:
    _pillow()
    tensor: Tensor = py_func(encode, [convert_to_tensor(image)], string, name=op)
    tensor.set_shape([])
    return tensor


def _pillow() -> ModuleType:
    try:
        import PIL
        import PIL.Image
        import PIL.ImageFile
        import PIL.ImageSequence
    except ImportError as error:
        raise coded(
            ImportError,
            "tf.io: reading and writing images needs Pillow; pip install Pillow",
            code=codes.MISSING_NAME,
        ) from error
    return PIL
