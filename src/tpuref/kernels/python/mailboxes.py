"""Mailboxes: one message at a time, from one process to another, in shared memory.

Two processes that talk have a mailbox for each direction beside their socket. Each
message has a number. A message goes into the mailbox if the one before it has been
taken out and if it is small enough, otherwise through the socket; by the numbers the
reader knows where the next one comes from::

    line 0    of the writer: number, size, by_socket
    line 1    of the reader: taken, looking
    content

``number`` is that of the message in the mailbox, ``by_socket`` that of the last one
that went through the socket. A reader that has stored ``looking`` looks into its
mailbox before it sleeps; otherwise it may be asleep on its socket, and the writer sends
it a byte or more. The reader takes ``looking`` back and then looks once more before it
sleeps; the writer stores ``number`` and then looks at ``looking``; so one sees the
other.

This twin cannot force a store to come before a load, so it always has the reader woken
through the socket, and never waits for the mailbox alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.kernels.buffers import Buffer, flat_bytes
from tpuref.kernels.status import FULL, PUT_FOR_SLEEPER

MAILBOX_BYTES = 8192
"""The size of a mailbox, whose bytes must be zero at first."""

_WORD = 8
_NUMBER, _SIZE, _BY_SOCKET = 0, 1, 2
_TAKEN, _LOOKING = 16, 17
_CONTENT_BYTE = 256


class Mailbox:
    """A mailbox, as its writer or its reader sees it.

    Parameters
    ----------
    arena
        The whole shared mapping, flat bytes.
    start
        Where the mailbox begins: a multiple of 64.

    Raises
    ------
    ValueError
        If there is no room for it.
    """

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
        """Put the next message in, if it can be.

        Parameters
        ----------
        content
            The message.

        Returns
        -------
        int
            A code of `tpuref.kernels.status`: ``FULL`` if it has to go through the
            socket; ``PUT``; or ``PUT_FOR_SLEEPER`` if the reader has to be woken.
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
        """Count a message that goes through the socket."""
        self._passed += 1
        self._words[_BY_SOCKET] = self._passed

    # -- the reader --------------------------------------------------------------

    def has_next(self) -> bool:
        """Return whether the next message is in the mailbox."""
        return self._words[_NUMBER] == self._passed + 1

    def take(self) -> bytes | None:
        """Take the next message out.

        Returns
        -------
        bytes or None
            The message, None if it is not there.
        """
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
        """Say whether the reader looks into the mailbox before it sleeps."""
        self._words[_LOOKING] = looking


def await_any(mailboxes: Sequence[Mailbox], nanoseconds: int) -> bool:
    """Wait until one of some readers has its next message, or it is in the socket.

    Parameters
    ----------
    mailboxes
        Those of the readers.
    nanoseconds
        How long at most, in which the processor is yielded again and again.

    Returns
    -------
    bool
        Whether a mailbox has it.
    """
    del nanoseconds  # the writer wakes the reader in any case
    return any(mailbox.has_next() for mailbox in mailboxes)
