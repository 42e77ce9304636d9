"""The trace event format, as its description has it: what a viewer relies on."""

from collections import defaultdict

NUMBERS = (int, float)
PHASES = {"X", "M", "s", "t", "f", "C", "i"}
METADATA = {
    "process_name": "name",
    "process_sort_index": "sort_index",
    "thread_name": "name",
    "thread_sort_index": "sort_index",
}


def check(trace):
    """Fail where a file is not in the format."""
    assert set(trace) == {"traceEvents", "displayTimeUnit", "otherData"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    events = trace["traceEvents"]
    for event in events:
        assert event["ph"] in PHASES and isinstance(event["name"], str)
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        if event["ph"] != "M":
            assert isinstance(event["ts"], NUMBERS) and event["ts"] >= 0
    check_names(events)
    check_nesting(events)
    check_arrows(events)
    for event in events:
        if event["ph"] == "C":
            assert event["args"] and all(
                isinstance(value, NUMBERS) for value in event["args"].values()
            )
        if event["ph"] == "i":
            assert event["s"] in ("g", "p", "t")


def checked_tracks(trace):
    """Return the slices of each track of a file, which must be in the format."""
    check(trace)
    return named(trace["traceEvents"])


def check_names(events):
    named = defaultdict(set)
    for event in events:
        if event["ph"] == "M":
            assert set(event["args"]) == {METADATA[event["name"]]}
            place = event["pid"], event["tid"]
            assert place not in named[event["name"]], "named twice"
            named[event["name"]].add(place)
    used = {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"}
    assert used <= named["thread_name"]
    assert {pid for pid, _ in used} <= {pid for pid, _ in named["process_name"]}


def check_nesting(events):
    """Slices of one track lie one after the other, or one in the other."""
    for slices in tracks(events).values():
        around = []
        order = sorted(slices, key=lambda e: (nanoseconds(e)[0], -nanoseconds(e)[1]))
        for begin, end in map(nanoseconds, order):
            assert begin <= end
            while around and around[-1][1] <= begin:
                around.pop()
            assert not around or end <= around[-1][1], "two slices overlap"
            around.append((begin, end))


def nanoseconds(event):
    begin, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
    assert abs(event["ts"] * 1000 - begin) < 0.1, "not to the nanosecond"
    return begin, begin + length


def check_arrows(events):
    """Every arrow begins once, goes forward, ends once, each time in a slice."""
    chains = defaultdict(list)
    for event in events:
        if event["ph"] in ("s", "t", "f"):
            chains[event["cat"], event["id"]].append(event)
    slices = tracks(events)
    for chain in chains.values():
        chain.sort(key=lambda event: (event["ts"], "stf".index(event["ph"])))
        phases = "".join(event["ph"] for event in chain)
        assert phases == "s" + "t" * (len(chain) - 2) + "f"
        assert len({event["name"] for event in chain}) == 1
        assert chain[-1]["bp"] == "e"
        for event in chain:
            own = slices[event["pid"], event["tid"]]
            assert any(s["ts"] <= event["ts"] <= s["ts"] + s["dur"] for s in own)


def tracks(events):
    """Return the slices of each track."""
    found = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            assert isinstance(event["dur"], NUMBERS) and isinstance(event["cat"], str)
            found[event["pid"], event["tid"]].append(event)
    return found


def named(events):
    """Return the slices of each track, by its name, in the order of their begins."""
    names = {
        (e["pid"], e["tid"]): e["args"]["name"]
        for e in events
        if e["ph"] == "M" and e["name"] == "thread_name"
    }
    return {
        names[place]: sorted(slices, key=lambda e: (e["ts"], -e["dur"]))
        for place, slices in tracks(events).items()
    }
