"""Conversion between messages and bytes."""

from typing import Any

from google.protobuf.message import DecodeError, EncodeError

from tpuref.base import error_codes as codes
from tpuref.base.errors import ResourceExhaustedError
from tpuref.engine.remote import schema
from tpuref.engine.remote.tensors import malformed

MESSAGE_BYTES = 1 << 29
"""The default size limit of a message."""

LARGEST_MESSAGE_BYTES = (1 << 31) - 1
"""The largest size that protobuf can encode."""

Request = schema.Request.pb()
Reply = schema.Reply.pb()


def checked_limit(message_bytes: Any, function: str) -> int:
    """Return a valid size limit of messages, or raise TypeError or ValueError."""
    if isinstance(message_bytes, bool) or not isinstance(message_bytes, int):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: max_message_bytes must be a whole number, got "
            f"{message_bytes!r}"
        )
    if not 1 <= message_bytes <= LARGEST_MESSAGE_BYTES:
        raise codes.INVALID_SETTING.value_error(
            f"{function}: max_message_bytes must be from 1 to {LARGEST_MESSAGE_BYTES}, "
            f"got {message_bytes!r}"
        )
    return message_bytes


def packed(message: Any, limit: int, content_name: str) -> bytes:
    """Return a message as bytes, or raise ResourceExhaustedError above `limit`."""
    try:
        content: bytes = message.SerializeToString()
    except EncodeError:
        limit, size = min(limit, LARGEST_MESSAGE_BYTES), "too many"
    else:
        if len(content) <= limit:
            return content
        size = str(len(content))
    raise ResourceExhaustedError(
        f"{content_name} has {size} bytes, but the other side accepts {limit} in one "
        "message; use smaller arrays, or raise the limit (max_message_bytes of "
        "tf.train.Server and of tf.RPCOptions)",
        code=codes.LIMIT_EXCEEDED,
    )


def request_of(content: bytes) -> Any:
    """Return a request from bytes, or raise InvalidArgumentError."""
    return _parse(Request, content)


def reply_of(content: bytes) -> Any:
    """Return a reply from bytes, or raise InvalidArgumentError."""
    return _parse(Reply, content)


def _parse(kind: Any, content: bytes) -> Any:
    try:
        message = kind.FromString(content)
    except DecodeError:
        raise malformed(
            f"{len(content)} bytes are not a {kind.DESCRIPTOR.name} of protocol "
            f"{schema.PROTOCOL}"
        ) from None
    if message.WhichOneof("kind") is None:
        raise malformed(
            f"a {kind.DESCRIPTOR.name} has a kind that protocol {schema.PROTOCOL} does "
            "not have"
        )
    return message
