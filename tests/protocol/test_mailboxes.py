"""Every order of the steps of a writer and a reader of a mailbox, and of wrong ones.

A side is a generator of steps, each of which loads or stores one word or uses the
socket. Generators cannot be copied, so each order runs both sides from the beginning.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

MESSAGES = 3
EMPTY_FRAME = 0

Steps = Iterator[bool]
"""The steps of one side; each says whether the next has to wait for the socket."""


@dataclass
class Mailbox:
    """The words of a mailbox, what its writer saw, and the socket beside it.

    Wrong protocols differ in one of the last three.
    """

    number: int = 0
    taken: int = 0
    looking: bool = False
    looked: bool = False
    socket: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    stores_before_it_looks: bool = True
    looks_before_it_sleeps: bool = True
    overwrites: bool = False

    def written(self):
        for message in range(1, MESSAGES + 1):
            if self.taken != self.number and not self.overwrites:
                self.socket.append(message)
                yield False
                continue
            if not self.stores_before_it_looks:
                self.looked = self.looking
                yield False
            self.number = message
            yield False
            if self.stores_before_it_looks:
                self.looked = self.looking
                yield False
            if not self.looked:
                self.socket.append(EMPTY_FRAME)
                yield False

    def read(self):
        while len(self.received) < MESSAGES:
            expected = len(self.received) + 1
            if self.number == expected:
                yield False
                self.received.append(expected)
                self.taken = expected
                yield False
                continue
            yield False
            self.looking = False
            yield False
            if self.number == expected and self.looks_before_it_sleeps:
                self.looking = True
                continue
            yield True
            frame = self.socket.pop(0)
            if frame != EMPTY_FRAME:
                assert self.number != expected
                self.received.append(frame)
            yield False
            self.looking = True
            yield False


def outcome(order, **wrong):
    """Run the sides in an order; return which of them can go on after it."""
    mailbox = Mailbox(**wrong)
    sides = [mailbox.written(), mailbox.read()]
    waits = [False, False]
    ended = [False, False]
    for side in order:
        step = next(sides[side], None)
        ended[side], waits[side] = step is None, bool(step)
    able = [
        side
        for side in range(2)
        if not ended[side] and not (waits[side] and not mailbox.socket)
    ]
    return able, mailbox


def explore(**wrong):
    """Try every order; return how many there are, up to those that lead to the same."""
    known, orders, endings = set(), [list[int]()], 0
    while orders:
        order = orders.pop()
        able, mailbox = outcome(order, **wrong)
        state = (repr(mailbox), order.count(0), order.count(1), tuple(able))
        if state in known:
            continue
        known.add(state)
        orders += [[*order, side] for side in able]
        if not able:
            endings += 1
            assert mailbox.received == list(range(1, MESSAGES + 1))
    assert endings
    return len(known)


def test_all_messages_arrive_in_order():
    assert explore() > 200  # the search went somewhere


@pytest.mark.parametrize(
    "wrong",
    [
        {"stores_before_it_looks": False},
        {"looks_before_it_sleeps": False},
        {"overwrites": True},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_wrong_protocol_loses_a_message(wrong):
    with pytest.raises(AssertionError):
        explore(**wrong)
