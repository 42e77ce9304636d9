"""Hashes of texts: FarmHash's fingerprint, SipHash with a key, and crossed features.

They are defined on integers of 64 bits; `_M` keeps a result in them.
"""

import struct
from collections.abc import Callable, Sequence

_M = 0xFFFFFFFFFFFFFFFF
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def _word(text: bytes, place: int) -> int:
    return int.from_bytes(text[place : place + 8], "little")


def _rotate(x: int, by: int) -> int:
    """Rotate 64 bits to the right."""
    return ((x >> by) | (x << (64 - by))) & _M


def _mix(x: int) -> int:
    return x ^ (x >> 47)


def _of_two(u: int, v: int, factor: int) -> int:
    a = _mix(((u ^ v) * factor) & _M)
    return _mix(((v ^ a) * factor) & _M) * factor & _M


def fingerprint(text: bytes) -> int:
    """Return ``farmhash::Fingerprint64`` of a text.

    >>> hex(fingerprint(b""))
    '0x9ae16a3b2f90404f'
    """
    size = len(text)
    if size > 64:
        return _long(text)
    if size > 16:
        return _middle(text)
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _word(text, 0) + _K2, _word(text, size - 8)
        first = _rotate(b, 37) * factor + a
        second = (_rotate(a & _M, 25) + b) * factor
        return _of_two(first & _M, second & _M, factor)
    if size >= 4:
        low = int.from_bytes(text[:4], "little")
        return _of_two(size + (low << 3), int.from_bytes(text[-4:], "little"), factor)
    if size:
        y, z = text[0] + (text[size >> 1] << 8), size + (text[-1] << 2)
        return _mix((y * _K2 & _M) ^ (z * _K0 & _M)) * _K2 & _M
    return _K2


def _middle(text: bytes) -> int:
    """Return the fingerprint of 17 to 64 bytes."""
    size = len(text)
    factor = _K2 + size * 2
    a = _word(text, 0) * (_K1 if size <= 32 else _K2) & _M
    b, c = _word(text, 8), _word(text, size - 8) * factor & _M
    d = _word(text, size - 16) * _K2 & _M
    y = (_rotate((a + b) & _M, 43) + _rotate(c, 30) + d) & _M
    z = _of_two(y, (a + _rotate((b + _K2) & _M, 18) + c) & _M, factor)
    if size <= 32:
        return z
    e, f = _word(text, 16) * factor & _M, _word(text, 24)
    g = (y + _word(text, size - 32)) * factor & _M
    h = (z + _word(text, size - 24)) * factor & _M
    first = (_rotate((e + f) & _M, 43) + _rotate(g, 30) + h) & _M
    return _of_two(first, (e + _rotate((f + a) & _M, 18) + g) & _M, factor)


def _four_words(text: bytes, place: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_word(text, place + 8 * k) for k in range(4))
    a = (a + w) & _M
    b = _rotate((b + a + z) & _M, 21)
    total = (a + x + y) & _M
    return (total + z) & _M, (b + _rotate(total, 44) + a) & _M


def _long(text: bytes) -> int:
    """Return the fingerprint of more than 64 bytes."""
    size = len(text)
    x, y = 81, 81 * _K1 + 113 & _M
    z = _mix(y * _K2 + 113 & _M) * _K2 & _M
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _word(text, 0) & _M
    blocks = [64 * k for k in range((size - 1) // 64)]
    for last, place in [*((False, place) for place in blocks), (True, size - 64)]:
        factor, times = _K1, 1
        if last:
            factor, times = _K1 + ((z & 0xFF) << 1), 9
            rest = (w[0] + ((size - 1) & 63)) & _M
            v = ((v[0] + rest) & _M, v[1])
            w = ((rest + v[0]) & _M, w[1])
        x = _rotate((x + y + v[0] + _word(text, place + 8)) & _M, 37) * factor & _M
        y = _rotate((y + v[1] + _word(text, place + 48)) & _M, 42) * factor & _M
        x ^= w[1] * times & _M
        y = (y + v[0] * times + _word(text, place + 40)) & _M
        z = _rotate((z + w[0]) & _M, 33) * factor & _M
        v = _four_words(text, place, v[1] * factor & _M, (x + w[0]) & _M)
        w = _four_words(
            text, place + 32, (z + w[1]) & _M, (y + _word(text, place + 16)) & _M
        )
        x, z = z, x
    first = (_of_two(v[0], w[0], factor) + _mix(y) * _K0 + z) & _M
    return _of_two(first, (_of_two(v[1], w[1], factor) + x) & _M, factor)


def keyed(key: Sequence[int]) -> Callable[[bytes], int]:
    """Return SipHash-2-4 with a key of two integers."""
    k0, k1 = (int(part) & _M for part in key)

    def siphash(text: bytes) -> int:
        v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
        v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
        end = len(text) - len(text) % 8
        rest = text[end:].ljust(7, b"\0") + bytes([len(text) & 0xFF])
        words = struct.unpack(f"<{end // 8 + 1}Q", text[:end] + rest)
        for word, rounds in [*((word, 2) for word in words), (None, 4)]:
            if word is None:
                v2 ^= 0xFF
            else:
                v3 ^= word
            for _ in range(rounds):
                v0, v2 = (v0 + v1) & _M, (v2 + v3) & _M
                v1, v3 = _rotate(v1, 51) ^ v0, _rotate(v3, 48) ^ v2
                v0 = _rotate(v0, 32)
                v0, v2 = (v0 + v3) & _M, (v2 + v1) & _M
                v3, v1 = _rotate(v3, 43) ^ v0, _rotate(v1, 47) ^ v2
                v2 = _rotate(v2, 32)
            v0 ^= word or 0
        return v0 ^ v1 ^ v2 ^ v3

    return siphash


def joined(first: int, second: int) -> int:
    """Return the hash of two hashes, as TensorFlow crosses features."""
    factor = 0xC6A4A7935BD1E995
    result = first ^ factor ^ (_mix(second * factor & _M) * factor & _M)
    result = _mix(result * factor & _M) * factor & _M
    return _mix(result)
