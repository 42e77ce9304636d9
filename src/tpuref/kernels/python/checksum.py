"""The checksum of records, CRC-32C, with NumPy.

A CRC is linear over exclusive or: the CRC of a message is the exclusive or of one
contribution per byte, which depends on its value and its place.  `_places` is the table
of contributions for a block, so a block costs one look-up per byte and no Python loop.
"""

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78  # Castagnoli's, reflected
_BLOCK = 1024
_AT_ONCE = 64  # blocks that fit into the cache together with their contributions
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
    """Return the contribution of each byte value at each place of a block."""
    one = np.array(_bytes_table(), np.uint32)
    places = np.empty((_BLOCK, 256), np.uint32)
    places[-1] = one
    for place in range(_BLOCK - 2, -1, -1):
        behind = places[place + 1]
        places[place] = one[behind & 0xFF] ^ behind >> 8
    return places


@functools.cache
def _first_places() -> list[list[int]]:
    """Return the contributions of the first four places, for the previous remainder."""
    return [table.tolist() for table in _places()[:4]]


_STARTS = np.arange(0, 256 * _BLOCK, 256)
"""The start of each place's contributions in the flat table."""


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of bytes.

    Examples
    --------
    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) <= _SHORT:
        return _bytewise(data)
    # The standard starts with a remainder of all ones, which equals inverting the first
    # four bytes and starting with zero. Zeros in front do not change a zero remainder,
    # so the message can be padded to whole blocks.
    padding = -len(data) % _BLOCK
    padded = np.zeros(padding + len(data), np.uint8)
    padded[padding:] = np.frombuffer(data, np.uint8)
    padded[padding : padding + 4] ^= 0xFF
    places, remainder = _places().ravel(), 0
    blocks = padded.reshape(-1, _BLOCK)
    for few in np.array_split(blocks, -(-len(blocks) // _AT_ONCE)):
        for own in _xor_rows(places.take(_STARTS + few)).tolist():
            # The remainder so far is added to the first four bytes of this block.
            before = remainder.to_bytes(4, "little")
            remainder = own
            for table, byte in zip(_first_places(), before, strict=True):
                remainder ^= table[byte]
    return remainder ^ 0xFFFFFFFF


def _xor_rows(parts: Table) -> Table:
    """Return the exclusive or over each row."""
    folding: Any = np.bitwise_xor  # NumPy's types know no reduction of it
    folded: Table = folding.reduce(parts, axis=1)
    return folded


def _bytewise(data: bytes) -> int:
    table, remainder = _bytes_table(), 0xFFFFFFFF
    for byte in data:
        remainder = table[(remainder ^ byte) & 0xFF] ^ remainder >> 8
    return remainder ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """Return the masked checksum of records: rotated, with a constant added.

    The CRC of data that contains its own CRC would otherwise be degenerate.
    """
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
