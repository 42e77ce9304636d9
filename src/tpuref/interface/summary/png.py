"""Encode PNG images with zlib."""

import struct
import zlib

from tpuref.engine.ops.definition import Array

_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
"""Grey, grey with alpha, RGB and RGBA, by the number of channels."""


def encoded_png(pixels: Array) -> bytes:
    r"""Return a uint8 array ``[height, width, 1 to 4 channels]`` as a PNG file.

    >>> import numpy
    >>> encoded_png(numpy.zeros((1, 1, 3), numpy.uint8))[:4]
    b'\x89PNG'
    """
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    # Each row begins with the number of its filter; 0 is no filter.
    rows = b"".join(b"\x00" + row.tobytes() for row in pixels)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + checksum
