"""Every order of the steps of three cores, for the protocol and for wrong ones."""

from collections.abc import Sequence
from functools import partial

import pytest

from .model import Members, Protocol, Script, Violation, explore

ALL: Members = (0, 1, 2)
PROTOCOL = Protocol()
SLEEPING = Protocol(sleeps=True)


def core(
    me, kinds, protocol=PROTOCOL, groups=(ALL, ALL, ALL), poisons=False, dies=None
):
    """Write down what a core does: collectives, and then the end."""
    script = Script(me, protocol, cores=3)
    script.publish(0)
    for number, kind in enumerate(kinds):
        script.collective(number, kind, groups[: number + 1])
    if poisons:
        script.spread_poison()
    script.finish(2 * len(kinds))
    if dies is not None:
        del script.steps[dies:]
    return script


def host(protocol=PROTOCOL):
    """Write down the host, which poisons at any moment."""
    script = Script(3, protocol, cores=3)
    script.spread_poison()
    return script


def alike(kinds, protocol=PROTOCOL):
    return explore([core(me, kinds, protocol) for me in ALL])


SEQUENCES = [
    ("flat", "flat", "flat"),
    ("direct", "direct", "direct"),
    ("flat", "direct", "flat"),
    ("direct", "flat", "direct"),
]


@pytest.mark.parametrize("kinds", SEQUENCES, ids="-".join)
def test_all_orders_of_three_collectives_end_well(kinds):
    found = alike(kinds)
    assert found.endings == {((3, "done"),) * 3}
    assert found.states > 1000  # the search went somewhere


def test_no_core_sleeps_through_its_flag():
    found = alike(("flat", "direct"), SLEEPING)
    assert found.endings == {((2, "done"),) * 3}
    assert found.states > 50_000


def one_leaves(protocol):
    """Let a core leave while the others may be asleep on its flag for the last time."""
    scripts = [core(me, ("flat",), protocol) for me in ALL]
    scripts[1] = core(1, (), protocol)
    return explore(scripts)


def test_no_core_sleeps_through_the_end_of_another():
    assert one_leaves(SLEEPING).endings == {((0, "left"), (0, "done"), (0, "left"))}


@pytest.mark.parametrize("stays", [0, 1, 2])
@pytest.mark.parametrize("kind", ["flat", "direct"])
def test_a_core_that_leaves_early_is_missed_at_once(kind, stays):
    kinds = (kind,) * 3
    found = explore([core(0, kinds), core(1, kinds[:stays]), core(2, kinds)])
    left = (stays, "left")
    assert found.endings == {(left, (stays, "done"), left)}


@pytest.mark.parametrize("stays", [0, 1, 2])
@pytest.mark.parametrize("kind", ["flat", "direct"])
def test_poison_reaches_everybody(kind, stays):
    kinds = (kind,) * 3
    failing = core(1, kinds[:stays], poisons=True)
    found = explore([core(0, kinds), failing, core(2, kinds)])
    for first, failed, last in found.endings:
        assert failed[0] <= stays and failed[1] == "done"
        for completed, outcome in (first, last):
            assert completed <= stays and outcome in ("poisoned", "left")


@pytest.mark.parametrize("kind", ["flat", "direct"])
def test_wherever_a_core_dies_the_others_end(kind):
    for step in range(len(core(1, (kind,)).steps)):
        dying = core(1, (kind,), dies=step)
        scripts = [core(0, (kind,)), dying, core(2, (kind,)), host()]
        for first, _, last, _ in explore(scripts).endings:
            assert first[1] in ("done", "poisoned", "left")
            assert last[1] in ("done", "poisoned", "left")


GROUPS: dict[int, Sequence[Members]] = {
    0: [(0, 1), (0, 2), (0, 1)],
    1: [(0, 1), (1,), (0, 1)],
    2: [(2,), (0, 2), (2,)],
}


def in_groups(protocol):
    return explore([core(me, ("flat",) * 3, protocol, GROUPS[me]) for me in ALL])


def test_groups_may_change_from_one_collective_to_the_next():
    assert in_groups(PROTOCOL).endings == {((3, "done"),) * 3}


def led_in_turns(protocol):
    """Let core 1 sum with the other process, then core 0 and core 1 by themselves."""
    carrier = Script(0, protocol, cores=3)
    for me in (0, 1):
        carrier.me = me
        carrier.publish(0)
    history: dict[int, list[Members]] = {0: [], 1: []}
    for number, (lead, follower, members) in enumerate(
        [(1, 0, (1, 2)), (0, 1, (0,)), (1, 0, (1,))]
    ):
        carrier.me = lead
        history[lead].append(members)
        carrier.collective(number, "flat", history[lead])
        carrier.follow(number, follower)
        kept = history[follower] if protocol.follower_keeps_readers else [()] * number
        history[follower] = [*kept, ()]
    carrier.finish(6)
    return explore([carrier, core(2, ("flat",), protocol, [(1, 2)])])


@pytest.mark.parametrize("protocol", [PROTOCOL, SLEEPING], ids=["waits", "sleeps"])
def test_cores_of_one_process_may_take_turns(protocol):
    assert led_in_turns(protocol).endings == {((3, "done"), (1, "done"))}


FLAT, DIRECT = ("flat",) * 3, ("direct",) * 3
WRONG = [
    ("reclaim", in_groups, "of collective 2 in collective 0"),
    ("follower_keeps_readers", led_in_turns, "of collective 2 in collective 0"),
    ("direct_meets_again", partial(alike, DIRECT), "reads result"),
    ("record_before_flag", partial(alike, FLAT), "core . reads .* of collective"),
    ("record_before_flag", partial(alike, DIRECT), "core . reads .* of collective"),
    ("store_before_wake", one_leaves, "wait for ever"),
    ("counts_sleepers", one_leaves, "wait for ever"),
    ("compares_before_sleep", one_leaves, "wait for ever"),
]
"""What no core may leave out, a run that needs it, and what happens without."""


@pytest.mark.parametrize(("left_out", "run", "happens"), WRONG)
def test_each_rule_is_needed(left_out, run, happens):
    with pytest.raises(Violation, match=happens):
        run(Protocol(sleeps=run is one_leaves, **{left_out: False}))


def test_one_buffer_is_not_enough():
    with pytest.raises(Violation, match="of collective 1 in collective 0"):
        alike(FLAT, Protocol(buffers=1))


def test_who_leaves_says_first_how_far_it_came():
    kinds, wrong = ("flat",) * 3, Protocol(last_before_gone=False)
    early = core(1, kinds[:1], wrong)
    found = explore([core(0, kinds, wrong), early, core(2, kinds, wrong)])
    assert any(first == (0, "left") for first, _, _ in found.endings)


def test_poison_may_miss_a_sleeper_until_its_slice_ends():
    scripts = [core(me, ("flat",), SLEEPING) for me in ALL]
    scripts[1] = core(1, ("flat",), SLEEPING, dies=0)
    scripts.append(host(SLEEPING))
    with pytest.raises(Violation, match="wait for ever"):
        explore(scripts)
    for first, _, last, _ in explore(scripts, slices=True).endings:
        assert first[1] == last[1] == "poisoned"
