"""The features of a serialized `tf.train.Example`, without protobuf.

The message nests as ``Example { Features { map<string, Feature> } }``; a feature is a
list of texts (1), of real numbers (2) or of integers (3), the latter two packed or not.
"""

from collections.abc import Iterator, Sequence
from typing import Any

TEXTS, FLOATS, INTEGERS = 1, 2, 3

_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5

Feature = tuple[int, list[bytes] | bytes]


def features(record: bytes, names: Sequence[bytes]) -> list[Feature | None] | None:
    """Return the named features of a serialized example, or None if it is damaged.

    For each name there is (kind, values), or None if the example lacks it.  Texts are a
    list of bytes, numbers the bytes of little-endian float32 or int64.
    """
    by_key: dict[bytes, Feature | None] = {}
    try:
        for held in _sized_fields(record, 1):
            for entry in _sized_fields(held, 1):
                key = [b"", *_sized_fields(entry, 1)][-1]
                value = [b"", *_sized_fields(entry, 2)][-1]
                by_key[key] = _feature(value)
    except (IndexError, ValueError):
        return None
    return [by_key.get(name) for name in names]


def _feature(content: bytes) -> Feature | None:
    kind, values = 0, list[bytes]()
    for number, how, part in _fields(content):
        # The three lists are a oneof: as in protobuf, a field of another kind replaces
        # the earlier value, and one of the same kind extends it.
        if how == _SIZED and number in (TEXTS, FLOATS, INTEGERS):
            before = values if kind == number else []
            kind, values = number, [*before, *_values(number, part)]
    if not kind:
        return None
    return kind, values if kind == TEXTS else b"".join(values)


def _values(kind: int, content: bytes) -> Iterator[bytes]:
    for number, how, value in _fields(content):
        if number != 1:
            continue
        if kind == TEXTS and how == _SIZED:
            yield value
        elif kind == FLOATS and how in (_SIZED, _FOUR_BYTES):
            if len(value) % 4:
                raise ValueError
            yield value
        elif kind == INTEGERS and how == _VARINT:
            yield value.to_bytes(8, "little")
        elif kind == INTEGERS and how == _SIZED:
            place = 0
            while place < len(value):
                one, place = _varint(value, place)
                yield one.to_bytes(8, "little")


def _sized_fields(content: bytes, wanted: int) -> Iterator[bytes]:
    """Yield the length-delimited fields with the number `wanted`."""
    for number, how, value in _fields(content):
        if number == wanted and how == _SIZED:
            yield value


def _fields(content: bytes) -> Iterator[tuple[int, int, Any]]:
    """Yield (number, wire type, value) of each field; ValueError if one is damaged."""
    place = 0
    while place < len(content):
        tag, place = _varint(content, place)
        number, how = tag >> 3, tag & 7
        if how == _VARINT:
            value, place = _varint(content, place)
            yield number, how, value
            continue
        size = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}.get(how)
        if how == _SIZED:
            size, place = _varint(content, place)
        if size is None or not number or place + size > len(content):
            raise ValueError
        yield number, how, content[place : place + size]
        place += size


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """Return a varint (seven bits per byte, the high bit means more) and its end."""
    value = 0
    for k in range(10):
        byte = content[place + k]
        value |= (byte & 0x7F) << 7 * k
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, place + k + 1
    raise ValueError
