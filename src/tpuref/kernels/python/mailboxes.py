"""Mailboxes: one message at a time, from one process to another, in shared memory.

A pair of processes has a socket and a mailbox for each direction. Messages are
numbered. A message goes through the mailbox if the previous one has been taken out and
it is small enough, otherwise through the socket; the numbers tell the reader where the
next message is::

    line 0    of the writer: number, size, by_socket
    line 1    of the reader: taken, looking
    content

``number`` is the number of the message in the mailbox, ``by_socket`` of the last one
through the socket. A reader with ``looking`` set polls its mailbox; one without may be
asleep on its socket, so the writer sends a byte to wake it. No wake-up is lost: the
reader clears ``looking`` and then checks the mailbox once more before it sleeps; the
writer stores ``number`` and then loads ``looking``; one of them sees the other.

This twin cannot order a store before a load, so its writer always wakes the reader
through the socket, and its reader never waits for the mailbox alone.
"""

from collections.abc import Sequence

from tpuref.kernels.buffers import Buffer, flat_bytes
from tpuref.kernels.status import FULL, PUT_FOR_SLEEPER

MAILBOX_BYTES = 8192
"""The size of a mailbox, whose bytes must be zero at first."""

_NUMBER, _SIZE, _BY_SOCKET = 0, 1, 2
_TAKEN, _LOOKING = 16, 17
_CONTENT_BYTE = 256


class Mailbox:
    """The writer's or the reader's end of the mailbox at `start` of the arena."""

    def __init__(self, arena: Buffer, start: int) -> None:
        whole = flat_bytes(arena, writable=True)
        if start < 0 or start % 64 or start + MAILBOX_BYTES > len(whole):
            raise ValueError(
                f"Mailbox: {MAILBOX_BYTES} bytes do not fit at {start} of {len(whole)}"
            )
        self._bytes = whole[start : start + MAILBOX_BYTES].data
        self._words = self._bytes.cast("Q")
        self._passed = 0

    # -- the writer --------------------------------------------------------------

    def put(self, content: bytes) -> int:
        """Write the next message, or leave it to the socket; return a status.

        It is ``FULL`` if the message has to go through the socket, ``PUT``, or
        ``PUT_FOR_SLEEPER`` if the reader has to be woken.
        """
        self._passed += 1
        words, end = self._words, _CONTENT_BYTE + len(content)
        if words[_TAKEN] != words[_NUMBER] or end > MAILBOX_BYTES:
            words[_BY_SOCKET] = self._passed
            return FULL
        self._bytes[_CONTENT_BYTE:end] = content
        words[_SIZE] = len(content)
        words[_NUMBER] = self._passed
        return PUT_FOR_SLEEPER

    def pass_by(self) -> None:
        """Count a message that is sent through the socket."""
        self._passed += 1
        self._words[_BY_SOCKET] = self._passed

    # -- the reader --------------------------------------------------------------

    def has_next(self) -> bool:
        """Return whether the next message is in the mailbox."""
        return self._words[_NUMBER] == self._passed + 1

    def take(self) -> bytes | None:
        """Return the next message and free the mailbox, or None."""
        if not self.has_next():
            return None
        size = self._words[_SIZE]
        content = bytes(self._bytes[_CONTENT_BYTE : _CONTENT_BYTE + size])
        self._passed += 1
        self._words[_TAKEN] = self._passed
        return content

    def count_taken(self) -> None:
        """Count a message that came through the socket."""
        self._passed += 1

    def look(self, looking: bool) -> None:
        """Announce whether the reader checks the mailbox before it sleeps."""
        self._words[_LOOKING] = looking


def await_any(mailboxes: Sequence[Mailbox], nanoseconds: int) -> bool:
    """Wait until a next message is in a mailbox or announced for a socket.

    Return whether a mailbox has its next message.  The wait yields the processor
    repeatedly.
    """
    del nanoseconds  # the writer wakes the reader in any case
    return any(mailbox.has_next() for mailbox in mailboxes)
