"""Messages between the host and a core: what goes in comes out."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tpuref.runtime.channel import Channel


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    """Both ends of a channel."""
    one, other = map(Channel, socket.socketpair())
    yield one, other
    one.close()
    other.close()


def test_messages_keep_their_order_and_their_limits(
    ends: tuple[Channel, Channel],
) -> None:
    messages = [("a",), (1, -1, 2**70, 1.5, None, True), ((), [], b"", "ä\0"), ()]
    for message in messages:
        ends[0].send(message)
    assert [ends[1].receive() for _ in messages] == messages
    assert ends[1].take() is None


def test_a_message_that_comes_in_parts() -> None:
    one, other = socket.socketpair()
    channel, packing = Channel(one), socket.socketpair()
    Channel(packing[0]).send(("text", b"x" * 300, [1.5, (2, 3)]))
    content = packing[1].recv(1 << 16)
    for part in range(len(content) - 1):
        other.sendall(content[part : part + 1])
        channel.fill()
        assert channel.take() is None
    other.sendall(content[-1:] + content[:7])
    assert channel.receive() == ("text", b"x" * 300, [1.5, (2, 3)])
    assert channel.take() is None
    other.sendall(content[7:])
    assert channel.receive()[0] == "text"
    for end in (one, other, *packing):
        end.close()


def test_what_is_posted_does_not_wait_for_the_peer(
    ends: tuple[Channel, Channel],
) -> None:
    sender, receiver = ends
    large = b"y" * (1 << 22)
    for number in range(3):
        sender.post((number, large))
    assert sender.is_behind
    arrived = []

    def receive() -> None:
        arrived.extend(receiver.receive() for _ in range(4))

    thread = threading.Thread(target=receive)
    thread.start()
    while sender.is_behind:
        sender.flush()
    sender.post(("last",))
    while sender.is_behind:
        sender.flush()
    thread.join()
    assert arrived == [*((number, large) for number in range(3)), ("last",)]


def test_the_end_of_the_peer(ends: tuple[Channel, Channel]) -> None:
    sender, receiver = ends
    sender.post(("before",))
    sender.close()
    assert receiver.receive() == ("before",)
    with pytest.raises(EOFError):
        receiver.receive()
    with pytest.raises(EOFError):
        receiver.fill()
    with pytest.raises(EOFError):
        receiver.post(("after",))


def test_the_peer_ends_while_something_is_still_to_be_sent(
    ends: tuple[Channel, Channel],
) -> None:
    sender, receiver = ends
    sender.post((b"z" * (1 << 22),))
    assert sender.is_behind
    receiver.close()
    with pytest.raises(EOFError):
        sender.flush()


def test_a_peer_that_ends_within_a_message(ends: tuple[Channel, Channel]) -> None:
    sender, receiver = ends
    sender.post((b"z" * (1 << 22),))
    sender.close()
    with pytest.raises(EOFError):
        receiver.receive()
