"""The checksum of records, CRC-32C, with NumPy.

A CRC is linear: that of a message is the exclusive or of what each byte contributes
from its place.  `_PLACES` holds the contribution of every byte value at each place of a
block, so a block costs one lookup for each byte, without a loop in Python.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78  # Castagnoli's, reflected
_BLOCK = 1024
_AT_ONCE = 64  # blocks, which fit into a processor's cache with their contributions
_SHORT = 256  # up to here, a loop in Python is faster


@functools.cache
def _bytes_table() -> list[int]:
    """Return the remainder of each byte value."""
    table = []
    for remainder in range(256):
        for _ in range(8):
            odd = remainder & 1
            remainder = remainder >> 1 ^ (_POLYNOMIAL if odd else 0)
        table.append(remainder)
    return table


@functools.cache
def _places() -> Table:
    """Return what each byte value contributes, by its place in a block."""
    one = np.array(_bytes_table(), np.uint32)
    places = np.empty((_BLOCK, 256), np.uint32)
    places[-1] = one
    for place in range(_BLOCK - 2, -1, -1):
        behind = places[place + 1]
        places[place] = one[behind & 0xFF] ^ behind >> 8
    return places


@functools.cache
def _first_places() -> list[list[int]]:
    """Return what the bytes of a remainder contribute to the block that follows."""
    return [table.tolist() for table in _places()[:4]]


_STARTS = np.arange(0, 256 * _BLOCK, 256)
"""Where the contributions of each place begin."""


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of bytes.

    Examples
    --------
    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) <= _SHORT:
        return _bytewise(data)
    # The inverted first four bytes stand for the start value of all ones; from then on
    # the start is zero, which zeros in front do not change.
    padding = -len(data) % _BLOCK
    padded = np.zeros(padding + len(data), np.uint8)
    padded[padding:] = np.frombuffer(data, np.uint8)
    padded[padding : padding + 4] ^= 0xFF
    places, remainder = _places().ravel(), 0
    blocks = padded.reshape(-1, _BLOCK)
    for few in np.array_split(blocks, -(-len(blocks) // _AT_ONCE)):
        for own in _folded(places.take(_STARTS + few)).tolist():
            # The remainder so far goes into the first four bytes of what follows.
            before = remainder.to_bytes(4, "little")
            remainder = own
            for table, byte in zip(_first_places(), before, strict=True):
                remainder ^= table[byte]
    return remainder ^ 0xFFFFFFFF


def _folded(parts: Table) -> Table:
    """Return the exclusive or of each row."""
    folding: Any = np.bitwise_xor  # NumPy's types know no reduction of it
    folded: Table = folding.reduce(parts, axis=1)
    return folded


def _bytewise(data: bytes) -> int:
    table, remainder = _bytes_table(), 0xFFFFFFFF
    for byte in data:
        remainder = table[(remainder ^ byte) & 0xFF] ^ remainder >> 8
    return remainder ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """Return the checksum as records hold it: rotated, with a constant added.

    Data that contains checksums would otherwise have checksums of a special form.
    """
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
