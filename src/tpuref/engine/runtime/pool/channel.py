"""Messages between the host and a process.

A small message goes through a mailbox in shared memory.  A large one, or one that is
sent before the reader has taken the last, goes through the socket, as a frame: its
length, then its content.  Numbers in the mailbox keep the order of the two ways
(`tpuref.kernels.python.mailboxes`).

A reader polls its mailbox a moment, then sleeps on the socket.  An empty frame is the
wake-up: it is sent only to a reader that may be asleep, and carries no message.  A
closed socket means that the peer has ended.
"""

from __future__ import annotations

import marshal
import socket
import struct
from collections.abc import Sequence
from typing import Any

from tpuref.base.processors import usable_processors
from tpuref.kernels import mailboxes as kernel
from tpuref.kernels.status import FULL, PUT_FOR_SLEEPER

PATIENCE = 300_000
"""The nanoseconds that a wait polls its mailbox before it sleeps.

A wake-up takes longer than most waits.
"""

_LENGTH = struct.Struct("<Q")
_READ_BYTES = 1 << 16  # more would be mapped from the system anew for each message
_EMPTY_FRAME = _LENGTH.pack(0)


class Channel:
    """One end of the connection of the host and a process.

    Parameters
    ----------
    end
        This end of the socket pair.
    outgoing, incoming
        The mailboxes.
    processes
        The number of processes of the pool.  With more than there are processors, a
        wait that polls would take the processor from the peer that it waits for.
    """

    def __init__(
        self,
        end: socket.socket,
        outgoing: kernel.Mailbox,
        incoming: kernel.Mailbox,
        processes: int,
    ) -> None:
        self._end = end
        self._outgoing, self._incoming = outgoing, incoming
        self._patience = PATIENCE if processes <= usable_processors() else 0
        self._received = bytearray()
        self._unsent = bytearray()

    def fileno(self) -> int:
        """Return the descriptor, for waiting on it."""
        return self._end.fileno()

    # -- sending -----------------------------------------------------------------

    def send(self, message: tuple[Any, ...]) -> None:
        """Send a message of plain values, waiting until the peer has received it."""
        content = marshal.dumps(message)
        if not self._put(content):
            self._end.sendall(_LENGTH.pack(len(content)) + content)

    def post(self, message: tuple[Any, ...]) -> None:
        """Send as much as fits without waiting; `flush` sends the rest.

        EOFError if the peer is gone.
        """
        content = marshal.dumps(message)
        if self._unsent:
            self._outgoing.pass_by()
        elif self._put(content):
            return
        self._unsent += _LENGTH.pack(len(content)) + content
        self.flush()

    def _put(self, content: bytes) -> bool:
        """Put a message into the mailbox; False if it has to go through the socket."""
        put = self._outgoing.put(content)
        if put == PUT_FOR_SLEEPER:
            # It only wakes the reader; if it does not fit, queued bytes wake it.
            self._send_now(_EMPTY_FRAME)
        return put != FULL

    def flush(self) -> None:
        """Send more of the posted messages; EOFError if the peer is gone."""
        while self._unsent:
            sent = self._send_now(self._unsent)
            if not sent:
                return
            del self._unsent[:sent]

    @property
    def is_behind(self) -> bool:
        """Whether a posted message has not been sent in full."""
        return bool(self._unsent)

    def _send_now(self, content: bytes | bytearray) -> int:
        try:
            return self._end.send(content, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        except ConnectionError:
            raise EOFError("the other end is gone") from None

    # -- receiving ---------------------------------------------------------------

    def receive(self) -> tuple[Any, ...]:
        """Wait for the next message and return it; EOFError if the peer is gone."""
        while (message := self.take()) is None:
            if not kernel.await_any([self._incoming], self._patience):
                self.doze()
                if not self.has_mail():
                    self.fill()
                self.wake()
        return message

    def take(self) -> tuple[Any, ...] | None:
        """Return the next message, None if it has not arrived in full."""
        content = self._incoming.take() or self._take_frame()
        if content is None:
            return None
        message: tuple[Any, ...] = marshal.loads(content)
        return message

    def _take_frame(self) -> bytes | bytearray | None:
        """Return the next message among the bytes read from the socket."""
        while len(self._received) >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(self._received)
            end = _LENGTH.size + size
            if len(self._received) < end:
                return None
            content = self._received[_LENGTH.size : end]
            del self._received[:end]
            if size:
                self._incoming.count_taken()
                return content
        return None

    def fill(self) -> None:
        """Read the bytes that have arrived; EOFError if the peer is gone."""
        try:
            arrived = self._end.recv(_READ_BYTES)
        except ConnectionError:
            arrived = b""
        if not arrived:
            raise EOFError("the other end is gone")
        self._received += arrived

    def has_mail(self) -> bool:
        """Return whether the next message is in the mailbox."""
        return self._incoming.has_next()

    def doze(self) -> None:
        """Ask for a wake-up.  Call `has_mail` between this and the sleep.

        The peer writes a message, then reads the request; this end writes the request,
        then looks for mail.  One of them sees the other, so no wake-up is lost.
        """
        self._incoming.look(False)

    def wake(self) -> None:
        """Withdraw the request for a wake-up: this end polls its mailbox."""
        self._incoming.look(True)

    def close(self) -> None:
        """Close this end."""
        self._end.close()


def await_mail(channels: Sequence[Channel]) -> bool:
    """Poll the mailboxes a moment, and return whether one has mail."""
    incoming = [channel._incoming for channel in channels]
    return kernel.await_any(incoming, channels[0]._patience)
