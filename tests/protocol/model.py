"""The waiting protocol of the links as steps on shared words, and a search of them all.

A process is a list of steps, each of which happens at once: it loads or stores one
word, or goes to sleep if a flag still has the value seen.  `explore` takes the cores
through every order of their steps.  The numbers are those of the links: a core comes to
collective n with flag 2 n, arrives with 2 n + 1, and is done with what others
published at 2 n + 2.

Most processes carry one core, and then the two are the same.  Of one that carries more,
one core brings the vectors of all to a collective, and the others follow it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

NOT_BEGUN = -1
GONE = 99
AWAKE = -1

Members = tuple[int, ...]


class Violation(AssertionError):
    """The protocol did what it must not do."""


class Shared(NamedTuple):
    """The words of the arena: ``flag``, ``last`` and ``sleepers`` of each core.

    ``record``, ``staging`` and ``result``, by core and parity, and ``source`` have the
    collective that a part belongs to.
    """

    flag: tuple[int, ...]
    last: tuple[int, ...]
    sleepers: tuple[int, ...]
    record: tuple[int, ...]
    staging: tuple[int, ...]
    result: tuple[int, ...]
    source: tuple[int, ...]
    poison: int


class Core(NamedTuple):
    """Where a core is: the next step, and the flag that it saw last.

    ``asleep`` is the core on whose flag it sleeps; ``completed`` counts its
    collectives; ``outcome`` is "", "done", "left" or "poisoned".
    """

    at: int
    seen: int
    asleep: int
    completed: int
    outcome: str


class State(NamedTuple):
    shared: Shared
    cores: tuple[Core, ...]


Step = Callable[["State", int], "State"]
"""Gives the state after the step, and the very same state where it has to wait."""


def changed(words, place, value):
    return (*words[:place], value, *words[place + 1 :])


def going(state, me, **news):
    """Return the state in which core `me` has come further."""
    core = state.cores[me]
    moved = core._replace(**{"at": core.at + 1, **news})  # type: ignore[arg-type]
    return state._replace(cores=(*state.cores[:me], moved, *state.cores[me + 1 :]))


def put(state, **words):
    return state._replace(shared=state.shared._replace(**words))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Protocol:
    """The protocol; the defaults are the real one, the others are wrong on purpose.

    Without `sleeps` a core waits in one step, which keeps searches short.
    """

    sleeps: bool = False
    buffers: int = 2
    record_before_flag: bool = True
    store_before_wake: bool = True
    counts_sleepers: bool = True
    compares_before_sleep: bool = True
    last_before_gone: bool = True
    reclaim: bool = True
    direct_meets_again: bool = True
    follower_keeps_readers: bool = True


@dataclass
class Script:
    """The steps of one process, as they are written down; `me` is one of its cores."""

    me: int
    protocol: Protocol
    cores: int
    steps: list[Step] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    completed: int = 0

    # -- stores ----------------------------------------------------------------

    def store(self, value, *words):
        """Store words of which no two are read by one core to be compared."""

        def step(state, me):
            for area, place in words:
                stored = changed(getattr(state.shared, area), place, value)
                state = put(state, **{area: stored})
            return going(state, me)

        self.steps.append(step)

    def wake(self, core):
        """Load the number of sleepers on a flag and wake them."""
        if not self.protocol.sleeps:
            return

        def step(state, me):
            if state.shared.sleepers[core]:
                state = woken(state, core)
            return going(state, me)

        self.steps.append(step)

    def publish(self, flag):
        if self.protocol.store_before_wake:
            self.store(flag, ("flag", self.me))
            self.wake(self.me)
        else:
            self.wake(self.me)
            self.store(flag, ("flag", self.me))

    def count(self, core):
        """Count this core among those who may be asleep on a flag."""
        self.steps.append(lambda state, me: going(add_sleeper(state, core, 1), me))

    def uncount(self, core, at):
        """Take that back and go on at `at`, with nothing seen."""

        def step(state, me):
            if self.protocol.counts_sleepers:
                state = add_sleeper(state, core, -1)
            return going(state, me, at=at, seen=NOT_BEGUN)

        self.steps.append(step)

    # -- waiting ---------------------------------------------------------------

    def look(self, core, target, reached, lost):
        """Load a flag, `last` if its core is gone, and the poison.

        Goes on where the wait is over to what `reached` will hold; otherwise to the
        next step.  `lost` is whether it matters that the core left.
        """
        start = len(self.steps)
        give_up = self.giving_up()

        def load_flag(state, me):
            flag = state.shared.flag[core]
            if target <= flag < GONE:
                return going(state, me, at=reached[0])
            if flag < target and not (self.protocol.sleeps or state.shared.poison):
                return state
            return going(state, me, seen=flag, at=start + (1 if flag == GONE else 2))

        def load_last(state, me):
            if state.shared.last[core] >= target:
                return going(state, me, at=reached[0])
            return going(state, me)

        def load_poison(state, me):
            if state.shared.poison:
                return give_up(state, me, "poisoned")
            if state.cores[me].seen == GONE:
                if lost:
                    return give_up(state, me, "left")
                return going(state, me, at=reached[0])
            return going(state, me)

        self.steps += [load_flag, load_last, load_poison]

    def reach(self, core, target, lost=True):
        """Wait until a core has reached a flag."""
        start, reached = len(self.steps), [0]
        self.look(core, target, reached, lost)
        if self.protocol.sleeps:
            self.sleep(core, target, start)
        reached[0] = len(self.steps)

    def sleep(self, core, target, start):
        """Sleep once, unless the wait is over by now, and look again at `start`."""
        counted = [0]
        if self.protocol.counts_sleepers:
            self.count(core)
        self.look_again(core, target, counted)

        def sleep(state, me):
            unchanged = state.shared.flag[core] == state.cores[me].seen
            if unchanged or not self.protocol.compares_before_sleep:
                return going(state, me, asleep=core)
            return going(state, me)

        self.steps.append(sleep)
        counted[0] = len(self.steps)
        self.uncount(core, at=start)

    def look_again(self, core, target, over):
        """Load flag and poison once more; what they say is dealt with by `look`."""

        def load_flag(state, me):
            flag = state.shared.flag[core]
            at = over[0] if flag >= target else state.cores[me].at + 1
            return going(state, me, seen=flag, at=at)

        def load_poison(state, me):
            at = over[0] if state.shared.poison else state.cores[me].at + 1
            return going(state, me, at=at)

        self.steps += [load_flag, load_poison]

    # -- collectives -----------------------------------------------------------

    def expect(self, number, *words):
        """Load words, which have to belong to the collective of that number."""

        def step(state, me):
            for area, place in words:
                found = getattr(state.shared, area)[place]
                if found != number:
                    raise Violation(
                        f"core {me} reads {area}[{place}] of collective {found} in "
                        f"collective {number}"
                    )
            return going(state, me)

        self.steps.append(step)

    def look_at_poison(self):
        give_up = self.giving_up()

        def step(state, me):
            if state.shared.poison:
                return give_up(state, me, "poisoned")
            return going(state, me)

        self.steps.append(step)

    def giving_up(self):
        """Return how the core goes from this collective to the end of its run."""
        completed = self.completed

        def give_up(state, me, outcome):
            return going(
                state,
                me,
                at=self.ends[0],
                seen=NOT_BEGUN,
                completed=completed,
                outcome=outcome,
            )

        return give_up

    def collective(self, number, kind, before):
        """Take part in a collective of `before[-1]`; the others came earlier."""
        arrival, first = 2 * number + 1, self.cores * (number % self.protocol.buffers)
        others = [core for core in before[-1] if core != self.me]
        if kind == "direct":
            self.store(number, ("source", self.me))
        self.look_at_poison()
        if self.protocol.reclaim and number >= 2:
            for reader in before[number - 2]:
                if reader != self.me:
                    self.reach(reader, 2 * (number - 2) + 2, lost=False)
        areas = ("record", "staging") if kind == "flat" else ("record",)
        if self.protocol.record_before_flag:
            self.store(number, *((area, first + self.me) for area in areas))
            self.publish(arrival)
        else:
            self.publish(arrival)
            self.store(number, *((area, first + self.me) for area in areas))
        for core in others:
            self.reach(core, arrival)
        self.expect(number, *((a, first + core) for a in areas for core in others))
        if kind == "direct":
            self.fold_chunk(number, others)
        self.publish(arrival + 1)
        if kind == "direct":
            self.read_result(number, others, arrival + 1)
        self.completed += 1

    def follow(self, number, core):
        """Let another core of this process be as far as the one that it has been."""
        self.store(2 * number + 2, ("flag", core))
        self.wake(core)

    def fold_chunk(self, number, others):
        """Read the sources of all and write the own chunk of the shared result."""
        self.expect(number, *(("source", core) for core in others))
        self.store(number, ("result", self.cores * (number % 2) + self.me))

    def read_result(self, number, others, target):
        if self.protocol.direct_meets_again:
            for core in others:
                self.reach(core, target)
        first = self.cores * (number % 2)
        self.expect(number, *(("result", first + core) for core in others))

    # -- the ends --------------------------------------------------------------

    def spread_poison(self):
        self.steps.append(lambda state, me: going(put(state, poison=1), me))
        for core in range(self.cores):
            self.wake(core)

    def finish(self, last):
        """Leave the run: `last`, which is the flag by then, and then the flag."""
        own = self.me

        def note(state, me):
            if state.cores[me].outcome:
                return going(state, me)
            return going(state, me, outcome="done", completed=self.completed)

        def store_last(state, me):
            words = changed(state.shared.last, own, state.shared.flag[own])
            return going(put(state, last=words), me)

        self.ends.append(len(self.steps))
        self.steps.append(note)
        if self.protocol.last_before_gone:
            self.steps.append(store_last)
            self.publish(GONE)
        else:
            self.publish(GONE)
            self.store(last, ("last", self.me))


def add_sleeper(state, flag, change):
    sleepers = state.shared.sleepers
    return put(state, sleepers=changed(sleepers, flag, sleepers[flag] + change))


def woken(state, flag):
    """Return the state in which nobody sleeps on a flag."""
    cores = [c._replace(asleep=AWAKE) if c.asleep == flag else c for c in state.cores]
    return state._replace(cores=tuple(cores))


def start(cores, actors):
    """Return the state in which nobody has begun."""
    nothing, twice = (NOT_BEGUN,) * cores, (NOT_BEGUN,) * 2 * cores
    shared = Shared(nothing, nothing, (0,) * cores, twice, twice, twice, nothing, 0)
    return State(shared, (Core(0, NOT_BEGUN, AWAKE, 0, ""),) * actors)


class Found(NamedTuple):
    """What a search found: the number of states, and how the cores can end."""

    states: int
    endings: frozenset[tuple[tuple[int, str], ...]]


def explore(scripts, slices=False):
    """Take the cores, each with the steps of its script, through every order of steps.

    With ``slices`` sleep ends by itself after a while, as it does in the links;
    without, a wake-up that gets lost is seen as a core that sleeps for ever. Raise
    Violation if a core reads what belongs to another collective, if some core can go no
    further, or if the cores can go round for ever.
    """
    steps = [script.steps for script in scripts]
    first = start(scripts[0].cores, len(scripts))
    endings, known, on_the_way = set(), {first}, {first}
    path = [(first, successors(first, steps, slices))]
    while path:
        state, coming = path[-1]
        after = next(coming, None)
        if after is None:
            path.pop()
            on_the_way.discard(state)
            if is_over(state, steps):
                endings.add(tuple((c.completed, c.outcome) for c in state.cores))
        elif after in on_the_way:
            raise Violation(f"the cores can go round for ever: {after}")
        elif after not in known:
            known.add(after)
            on_the_way.add(after)
            path.append((after, successors(after, steps, slices)))
    return Found(len(known), frozenset(endings))


def is_over(state, steps):
    return all(c.at >= len(s) for c, s in zip(state.cores, steps, strict=True))


def successors(state, steps, slices):
    """Give the state after each step that some core can take."""
    stuck = True
    for me, (core, own) in enumerate(zip(state.cores, steps, strict=True)):
        if core.asleep == AWAKE and core.at < len(own):
            after = own[core.at](state, me)
            if after is not state:  # otherwise it waits
                stuck = False
                yield after
    sleeping = {core.asleep for core in state.cores} - {AWAKE}
    if not stuck or is_over(state, steps):
        return
    if not (slices and sleeping):
        raise Violation(f"cores wait for ever: {state}")
    for flag in sleeping:
        yield woken(state, flag)
