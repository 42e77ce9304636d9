"""Messages between the host and a core: what goes in comes out."""

import marshal
import socket
import struct
import threading
import time

import numpy as np
import pytest

from tpuref.engine.runtime.pool.messages import Channel, await_mail
from tpuref.kernels import mailboxes

Ends = tuple[Channel, Channel]

SIZES = [5, 5, 20_000, 5, 0, 9_000, 9_000, 100]
"""Of messages; a mailbox holds less than 8 KiB."""


def connected(one, other):
    """Return both ends of a channel."""
    size = mailboxes.MAILBOX_BYTES
    arena = np.zeros(2 * size, np.uint8)
    there, back = (
        [mailboxes.Mailbox(arena, place) for _ in range(2)] for place in (0, size)
    )
    return (
        Channel(one, there[0], back[0], processes=1),
        Channel(other, back[1], there[1], processes=1),
    )


def post(channel, message):
    channel.put(message)
    channel.flush()


@pytest.fixture
def ends():
    """Both ends of a channel."""
    one, other = connected(*socket.socketpair())
    yield one, other
    one.close()
    other.close()


def test_messages_keep_their_order_and_their_limits(ends):
    messages = [("a",), (1, -1, 2**70, 1.5, None, True), ((), [], b"", "ä\0"), ()]
    for message in messages:
        ends[0].send(message)
    assert [ends[1].receive() for _ in messages] == messages
    assert ends[1].take() is None


def test_small_and_large_messages_keep_their_order(ends):
    sender, receiver = ends
    messages = [(number, b"x" * size) for number, size in enumerate(SIZES)]
    for at_once in range(len(messages)):
        for message in messages[:at_once]:
            sender.send(message)
            assert receiver.receive() == message
        for message in messages[at_once:]:
            sender.send(message)
        assert [receiver.receive() for _ in messages[at_once:]] == messages[at_once:]


def test_who_sleeps_is_woken(ends):
    sender, receiver = ends
    arrived = []

    def receive():
        for _ in range(50):
            arrived.append(receiver.receive())
            receiver.send(("taken",))

    thread = threading.Thread(target=receive)
    thread.start()
    for number in range(50):
        time.sleep(0.002 * (number % 2))  # it sleeps by then, or not yet
        post(sender, (number,))
        assert sender.receive() == ("taken",)
    thread.join()
    assert arrived == [(number,) for number in range(50)]


def test_mail_of_one_of_several(ends):
    others = connected(*socket.socketpair())
    mine, theirs = [ends[0], others[0]], [ends[1], others[1]]
    assert not await_mail(mine)
    theirs[1].send(("mail",))
    assert await_mail(mine)
    assert [channel.has_mail() for channel in mine] == [False, True]
    assert mine[1].take() == ("mail",)
    for channel in others:
        channel.close()


def test_a_message_that_comes_in_parts():
    one, other = socket.socketpair()
    channel, _ = connected(one, other)
    message = ("text", b"x" * 300, [1.5, (2, 3)])
    packed = marshal.dumps(message)
    content = struct.pack("<Q", len(packed)) + packed
    for part in range(len(content) - 1):
        other.sendall(content[part : part + 1])
        channel.fill()
        assert channel.take() is None
    other.sendall(content[-1:] + content[:7])
    assert channel.receive() == message
    assert channel.take() is None
    other.sendall(content[7:])
    assert channel.receive()[0] == "text"
    for end in (one, other):
        end.close()


def test_what_is_posted_does_not_wait_for_the_peer(ends):
    sender, receiver = ends
    large = b"y" * (1 << 22)
    for number in range(3):
        post(sender, (number, large))
    assert sender.is_behind
    arrived = []

    def receive():
        arrived.extend(receiver.receive() for _ in range(4))

    thread = threading.Thread(target=receive)
    thread.start()
    while sender.is_behind:
        sender.flush()
    post(sender, ("last",))
    while sender.is_behind:
        sender.flush()
    thread.join()
    assert arrived == [*((number, large) for number in range(3)), ("last",)]


def test_the_end_of_the_peer(ends):
    sender, receiver = ends
    post(sender, ("before",))
    sender.close()
    assert receiver.receive() == ("before",)
    for use in (receiver.receive, receiver.fill):
        with pytest.raises(EOFError):
            use()
    with pytest.raises(EOFError):
        post(receiver, ("x" * (1 << 16),))
    with pytest.raises(EOFError):
        receiver.send(("x" * (1 << 16),))


@pytest.mark.parametrize("ending", [0, 1])
def test_the_peer_ends_within_a_message(ends, ending):
    sender, receiver = ends
    post(sender, (b"z" * (1 << 22),))
    assert sender.is_behind
    ends[ending].close()
    with pytest.raises(EOFError):
        (receiver.receive, sender.flush)[ending]()
