"""Messages between the host and a core, over a private socket pair."""

from __future__ import annotations

import marshal
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("<Q")
_READ_BYTES = 1 << 16  # more would be mapped from the system anew for each message


class Channel:
    """One end of the socket pair between the host and a core."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._received = bytearray()
        self._unsent = bytearray()

    def fileno(self) -> int:
        """Return the descriptor, for waiting on it."""
        return self._end.fileno()

    def send(self, message: tuple[Any, ...]) -> None:
        """Send a message of plain values, waiting until the peer has received it."""
        self._end.sendall(_packed(message))

    def post(self, message: tuple[Any, ...]) -> None:
        """Send as much as fits without waiting; `flush` sends the rest.

        EOFError if the peer is gone.
        """
        content = _packed(message)
        if self._unsent:
            self._unsent += content
            return
        sent = self._sent(content)
        if sent < len(content):
            self._unsent += content[sent:]

    def flush(self) -> None:
        """Send more of what was posted; EOFError if the peer is gone."""
        while self._unsent:
            sent = self._sent(self._unsent)
            if not sent:
                return
            del self._unsent[:sent]

    @property
    def is_behind(self) -> bool:
        """Whether part of what was posted has not been sent."""
        return bool(self._unsent)

    def _sent(self, content: bytes | bytearray) -> int:
        try:
            return self._end.send(content, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        except ConnectionError:
            raise EOFError("the other end is gone") from None

    def receive(self) -> tuple[Any, ...]:
        """Wait for the next message and return it; EOFError if the peer is gone."""
        while True:
            message = self.take()
            if message is not None:
                return message
            self.fill()

    def fill(self) -> None:
        """Read what has arrived; EOFError if the peer is gone."""
        try:
            arrived = self._end.recv(_READ_BYTES)
        except ConnectionError:
            arrived = b""
        if not arrived:
            raise EOFError("the other end is gone")
        self._received += arrived

    def take(self) -> tuple[Any, ...] | None:
        """Return a message that has arrived in full, None if there is none."""
        if len(self._received) < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack_from(self._received)
        end = _LENGTH.size + size
        if len(self._received) < end:
            return None
        message: tuple[Any, ...] = marshal.loads(self._received[_LENGTH.size : end])
        del self._received[:end]
        return message

    def close(self) -> None:
        """Close this end."""
        self._end.close()


def _packed(message: tuple[Any, ...]) -> bytes:
    content = marshal.dumps(message)
    return _LENGTH.pack(len(content)) + content
