"""Text as bytes and as characters."""

from typing import Any

from tpuref.base import error_codes as codes


def as_bytes(bytes_or_text: str | bytes, encoding: str = "utf-8") -> bytes:
    """Return text as bytes.

    Examples
    --------
    >>> tf.compat.as_bytes("one")
    b'one'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    return bytes(_check_text("as_bytes", bytes_or_text))


def as_text(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """Return text as characters.

    Examples
    --------
    >>> tf.compat.as_text(b"one")
    'one'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    return bytes(_check_text("as_text", bytes_or_text)).decode(encoding)


as_str = as_text


def as_str_any(value: Any) -> str:
    """Return any value as characters."""
    return as_text(value) if isinstance(value, bytes) else str(value)


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts, such as ``2 cores``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _check_text(function: str, value: Any) -> Any:
    if not isinstance(value, (bytes, bytearray)):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"tf.compat.{function}: expected text or bytes, got {value!r}"
        )
    return value
