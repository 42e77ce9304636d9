"""The rendezvous process of the hosts, which also reports the loss of one.

Host 0 starts it as a script that needs only the standard library.  It listens at the
address of the coordinator for two kinds of connections, which differ in the first byte:

::

    {   a host: lines of JSON both ways; the host ends when the connection ends
    P   JAX: forwarded to JAX's own service, which runs in host 0

JAX aborts a process as soon as its connection to host 0 breaks.  The rendezvous keeps
that connection open, so that a process can report the loss of host 0.
"""

import asyncio
import contextlib
import hmac
import json
import os
import socket
import sys
from typing import Any

HANDSHAKE = 10.0
"""The time in seconds for a connection to send its first byte."""

_FAULTS = (OSError, ValueError, EOFError, KeyError, TypeError, asyncio.TimeoutError)


class Rendezvous:
    """Gathers the hosts of a job, then watches them.

    All hosts must send the ``hosts``, ``job`` and ``version`` of `host_0`.  `service`
    is an abstract socket of JAX.  Hosts must arrive within `patience` seconds, and end
    within `timeout` seconds after the loss of one.
    """

    def __init__(
        self, host_0: dict[str, Any], service: str, patience: float, timeout: float
    ) -> None:
        self._host_0, self._service = host_0, service
        self._patience, self._timeout = patience, timeout
        self._members: dict[int, asyncio.StreamWriter] = {}
        self._done: set[int] = set()
        self._complete, self._lost = asyncio.Event(), False
        self._empty = asyncio.Event()

    async def serve(self, listener: socket.socket) -> None:
        """Serve until all hosts have left, or did not arrive."""
        await asyncio.start_server(self._accept, sock=listener)
        arrival = asyncio.create_task(self._await_arrival())
        await self._empty.wait()
        arrival.cancel()

    async def _await_arrival(self) -> None:
        try:
            await asyncio.wait_for(self._complete.wait(), self._patience)
        except asyncio.TimeoutError:
            self._refuse_all(
                f"only {len(self._members)} of {self._host_0['hosts']} hosts arrived "
                f"within {self._patience:g} s; missing: {_numbers(self._missing())}"
            )

    def _missing(self) -> list[int]:
        return [k for k in range(self._host_0["hosts"]) if k not in self._members]

    def _refuse_all(self, why: str) -> None:
        self._tell({"refused": why})
        self._empty.set()

    def _tell(self, news: dict[str, Any]) -> None:
        for writer in self._members.values():
            _send(writer, news)

    async def _accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            first = await asyncio.wait_for(reader.readexactly(1), HANDSHAKE)
            if first == b"{":
                rest = await asyncio.wait_for(reader.readline(), HANDSHAKE)
                await self._receive(json.loads(first + rest), reader, writer)
            elif first == b"P":
                await self._forward_jax(first, reader, writer)
        except _FAULTS:
            pass
        finally:
            writer.close()

    async def _receive(
        self,
        hello: dict[str, Any],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Take in a host, and listen to it until it ends."""
        if fault := self._fault(hello):
            _send(writer, {"refused": fault})
            return
        number = hello["host"]
        keep_alive(writer.get_extra_info("socket"), self._timeout / 2)
        self._members[number] = writer
        if not self._missing():
            self._complete.set()
            entropy = int.from_bytes(os.urandom(6), "little")
            self._tell({"complete": True, "entropy": entropy})
        try:
            why = await self._until_end(number, reader)
        except _FAULTS:
            why = "its connection broke"
        del self._members[number]
        if number not in self._done:
            self._lose(number, hello, why)
        if not self._members:
            self._empty.set()

    def _fault(self, hello: dict[str, Any]) -> str | None:
        """Return why a host does not belong to the job, or None."""
        number = hello["host"]
        if not hmac.compare_digest(str(hello["job"]), str(self._host_0["job"])):
            return "the coordinator belongs to another job (TPUREF_JOB)"
        for what in ("hosts", "version"):
            mine, theirs = self._host_0[what], hello[what]
            if mine != theirs:
                return f"host 0 has {what} {mine}, host {number} has {theirs}"
        if number in self._members or self._complete.is_set():
            return f"there is a host {number} already"
        return None if number in range(self._host_0["hosts"]) else "no such host"

    async def _until_end(self, number: int, reader: asyncio.StreamReader) -> str:
        """Return why the host has ended."""
        while line := await reader.readline():
            said = json.loads(line)
            if "failed" in said:
                return f"it failed with {said['failed']}"
            self._done.add(number)
            self._tell({"done": number})
        return "it died"

    def _lose(self, number: int, hello: dict[str, Any], why: str) -> None:
        name = f"host {number} ({hello['name']}, process {hello['pid']})"
        if not self._complete.is_set():
            if number == 0:
                self._refuse_all(f"{name} ended before all hosts arrived: {why}")
        elif not self._lost:  # later losses follow from the first
            self._lost = True
            self._tell({"lost": f"{name} is lost: {why}"})
            asyncio.get_running_loop().call_later(2 * self._timeout, self._empty.set)

    async def _forward_jax(
        self, first: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Forward a connection of JAX, and keep it open when the service is gone."""
        answers, service = await asyncio.open_unix_connection("\0" + self._service)
        service.write(first)
        back = asyncio.create_task(_copy(answers, writer))
        try:
            await _copy(reader, service)
        finally:
            back.cancel()
            service.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        with contextlib.suppress(
            OSError
        ):  # drain the sender after the receiver is gone
            writer.write(data)
            await writer.drain()


def _send(writer: asyncio.StreamWriter, news: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        writer.write(json.dumps(news).encode() + b"\n")


def _numbers(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:20]))
    return f"{shown} and {len(numbers) - 20} more" if len(numbers) > 20 else shown


def keep_alive(connection: socket.socket, seconds: float) -> None:
    """Let the kernel close a connection whose other machine is silent for `seconds`."""
    # A silent process on the same machine is busy, not gone.
    if connection.getpeername()[0] == connection.getsockname()[0]:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", seconds / 2),
        ("TCP_KEEPINTVL", seconds / 6),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", 1000 * seconds),
    ):
        if hasattr(socket, name):
            option = getattr(socket, name)
            connection.setsockopt(socket.IPPROTO_TCP, option, max(1, round(value)))


def main() -> None:
    """Serve; standard input has the parameters as a line of JSON."""
    order = json.loads(sys.stdin.readline())
    listener = socket.socket(fileno=order.pop("listener"))
    asyncio.run(Rendezvous(**order).serve(listener))


if __name__ == "__main__":
    main()
