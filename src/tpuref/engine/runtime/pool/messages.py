"""Messages between the host and a process: their content, and their channel.

A message is a tuple that begins with its kind; the records here are the rest of the
larger ones.  Small arrays travel by value, others as offsets in the arena.

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
import signal
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.base import errors
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import datatype_enum, numpy_dtype, string
from tpuref.base.errors import OpError
from tpuref.base.processors import usable_processors
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.columns import APART, SAME, STACKED, Column, Stacked
from tpuref.kernels import mailboxes as kernel
from tpuref.kernels.status import FULL, PUT_FOR_SLEEPER

INLINE_BYTES = 512
"""Arrays up to this size travel in the message itself."""

PATIENCE = 300_000
"""The nanoseconds that a wait polls its mailbox before it sleeps.

A wake-up takes longer than most waits.
"""

_LENGTH = struct.Struct("<Q")
_READ_BYTES = 1 << 16  # more would be mapped from the system anew for each message
_EMPTY_FRAME = _LENGTH.pack(0)

Described = tuple[Any, ...]
"""Element type and shape, then either the bytes or texts of the array, or its offset in
the arena and, unless it is contiguous, its strides."""

DescribedColumn = tuple[int, list[Described]]
"""The layout of a column, then the description of its one array, stack, or of each."""

_STRING = string.as_datatype_enum


def goes_inline(array: Array) -> bool:
    """Return whether an array travels in the message."""
    return array.dtype == object or array.nbytes <= INLINE_BYTES


def describe_inline(array: Array) -> Described:
    """Describe an array by value."""
    if array.dtype == object:
        return _STRING, array.shape, [bytes(item) for item in array.flat]
    return datatype_enum(array.dtype), array.shape, array.tobytes()


def describe_in_arena(array: Array, offset: int) -> Described:
    """Describe an array in the arena."""
    described = datatype_enum(array.dtype), array.shape, offset
    return described if array.flags.c_contiguous else (*described, array.strides)


def offset_of(described: Described) -> int | None:
    """Return the offset of an array in the arena, None if the message holds it."""
    return described[2] if isinstance(described[2], int) else None


def array_of(described: Described, arena: Arena) -> Array:
    """Return the array of a description, a view if it is in the arena."""
    number, shape, content, *strides = described
    if isinstance(content, int):
        return arena.view(content, shape, numpy_dtype(number), *strides)
    return inline_array(described)


def sharing_key(described: Described) -> Any:
    """Return a key that is equal for descriptions of arrays with equal bits."""
    number, shape, content, *strides = described
    return number, shape, tuple(content) if number == _STRING else content, *strides


def sharing(receive: Callable[[Described], Array]) -> Callable[[Described], Array]:
    """Return a function that receives arrays with equal descriptions as one array."""
    received: dict[Any, Array] = {}

    def receive_once(described: Described) -> Array:
        key = sharing_key(described)
        if key not in received:
            received[key] = receive(described)
        return received[key]

    return receive_once


def inline_array(described: Described) -> Array:
    """Return the array of a description by value."""
    number, shape, content = described
    if number == _STRING:
        strings = np.empty(shape, object)
        for index, item in zip(np.ndindex(*shape), content, strict=True):
            strings[index] = item
        return strings
    array: Array = np.frombuffer(content, numpy_dtype(number)).reshape(shape)
    return array


def describe_column(
    arrays: Sequence[Array], describe: Callable[[Array], Described]
) -> DescribedColumn:
    """Describe a column by a function for one array; small arrays travel as a stack."""
    first = arrays[0]
    if all(array is first for array in arrays):
        return SAME, [describe(first)]
    dtype, shape = first.dtype, first.shape
    stackable = not dtype.hasobject and first.nbytes <= INLINE_BYTES
    if stackable and all(a.shape == shape and a.dtype == dtype for a in arrays):
        content = b"".join([array.tobytes() for array in arrays])
        return STACKED, [(datatype_enum(dtype), (len(arrays), *shape), content)]
    return APART, [describe(array) for array in arrays]


def column_of(
    described: DescribedColumn, length: int, received: Callable[[Described], Array]
) -> Column:
    """Return the column of a description; `received` returns one array."""
    kind, parts = described
    if kind == SAME:
        return [received(parts[0])] * length
    if kind == STACKED:
        return Stacked(inline_array(parts[0]))
    return [received(part) for part in parts]


STACK_SIGNAL: int | None = getattr(signal, "SIGUSR1", None)
"""The signal at which a process writes its stack to its log, None without signals."""

Site = tuple[str, int, str, "str | None"]
"""A call site, as plain values."""


class RunRequest(NamedTuple):
    """``run``, from the host: a run for the cores of one process.

    `draws` are earlier evaluations of each random operation by each replica, `owners`
    the replicas whose writes of variables the host keeps.  With `divides`, the
    processes divide writes that are equal on all replicas.  `blocks` has for each
    result the size per replica and the offset, None for no block.  `variables` has the
    values that this process lacks, None for a variable without one.  If `kept`, the
    process keeps the values that it left in the last run with this placement.
    `entropy` seeds operations without a seed.  `timeout` is the deadline of
    every wait, `capacity` the number of events to record for each core.  `freed` are
    blocks of the process's heap that the host has dropped.
    """

    run: int
    program: int
    placement: int
    inputs: list[DescribedColumn]
    draws: list[Drawn]
    owners: list[int]
    divides: bool
    blocks: list[tuple[int, int] | None]
    variables: list[tuple[str, Described | None]]
    kept: bool
    entropy: int
    timeout: float
    traced: bool
    capacity: int
    freed: list[int]
    all_reduce: str


Drawn = tuple[int, str, int]
"""A replica, a random operation, and the number of its evaluations."""


class Results(NamedTuple):
    """``done``, from a process: the outcome for its cores.

    `outputs` are of the replicas whose first core is here, None for those in blocks.
    `written` has each new value of variables, and the replicas and handles of those
    that have it.  `trace` has the operations that ran, by core.  `unused` are the
    variables that only other processes use when writes are divided: each process names
    them once.
    """

    outputs: list[DescribedColumn | None]
    written: list[tuple[Described, list[tuple[int, str]]]]
    draws: list[Drawn]
    trace: list[tuple[int, list[str]]]
    unused: list[str]


class Divergence(NamedTuple):
    """One entry of ``diverged``: a replica that did not meet others in a collective.

    `op`, `name` and `site` are those of the collective that it is in, `shape` is that
    of its contribution, `group` has the replicas that should have met.
    """

    replica: int
    op: str
    name: str
    site: Site
    shape: tuple[int, ...]
    group: list[int]


class Failure(NamedTuple):
    """``error``, from a process: the error of one of its cores.

    `kind` is the class of the error, `text` its traceback; `op` and `site` name the
    operation that failed, or are None.
    """

    kind: str
    message: str
    op: str | None
    site: Site | None
    text: str


class RemoteTraceback(Exception):
    """The traceback of an error, as text from the process where it was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def remote_traceback(text: str) -> RemoteTraceback | None:
    """Return an exception that shows the output of a core, None if it is empty."""
    return RemoteTraceback(text) if text else None


def rebuild(failure: Failure) -> OpError:
    """Return the error of a core, with the core's traceback as its cause."""
    kind: type[OpError] = getattr(errors, failure.kind)
    site = None if failure.site is None else CallSite(*failure.site)
    error = kind(failure.message, op=failure.op, site=site)
    error.__cause__ = remote_traceback(failure.text)
    return error


class Channel:
    """One end of the connection of the host and a process.

    With more `processes` than processors, a wait that polls would take the processor
    from the peer that it waits for.
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
        """Send a message of plain values, waiting until the peer has received it.

        EOFError if the peer is gone.
        """
        self.put(message)
        if not self._unsent:
            return
        try:
            self._end.sendall(self._unsent)
        except ConnectionError:
            raise EOFError("the other end is gone") from None
        self._unsent.clear()

    def put(self, message: tuple[Any, ...]) -> None:
        """Put a message into the mailbox; what does not fit waits for `flush`.

        So does the wake-up of a reader that may be asleep.
        """
        content, put = marshal.dumps(message), FULL
        if self._unsent:
            self._outgoing.pass_by()
        else:
            put = self._outgoing.put(content)
        if put == FULL:
            self._unsent += _LENGTH.pack(len(content)) + content
        elif put == PUT_FOR_SLEEPER:
            self._unsent += _EMPTY_FRAME

    def flush(self) -> None:
        """Send what fits without waiting; EOFError if the peer is gone."""
        while self._unsent:
            sent = self._send_now(self._unsent)
            if not sent:
                return
            del self._unsent[:sent]

    @property
    def is_behind(self) -> bool:
        """Whether something waits for `flush`."""
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
