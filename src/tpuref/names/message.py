"""Messages about names that tpuref does not have."""

import collections
import difflib
import functools
import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tpuref.names.lookup import everywhere, first_missing, is_private, names_below
from tpuref.names.releases import table
from tpuref.names.table import known_way_out
from tpuref.names.ways_out import OPERATION, way_out

V1, V2 = "tf.compat.v1", "tf.compat.v2"

PRIVATE = {"compiler", "core", "python", "pywrap_tensorflow"}
"""The parts of TensorFlow that are no interface."""


@dataclass(frozen=True)
class Missing:
    """A name that tpuref does not have."""

    # The name as a program has it, such as ``"tf.compat.v1.gradients"``
    name: str
    # Who has it: releases of TensorFlow, or empty for nobody
    origin: str
    instead: tuple[str, ...]
    # Names that are written almost like it, where nobody has it
    close: tuple[str, ...]
    way_out: str

    @property
    def advice(self) -> str:
        """The advice."""
        if self.instead:
            return f"Use {self.instead[0]}, which is the same."
        if self.close:
            return f"Did you mean {' or '.join(self.close)}?"
        return self.way_out

    @property
    def text(self) -> str:
        """All of it."""
        origin = self.origin or "nor has TensorFlow"
        return f"tpuref has no {self.name} ({origin}). {self.advice}".rstrip()


@functools.cache
def about(name: str) -> Missing:
    """Return the origin and the way out of a name that tpuref does not have.

    >>> about("tf.debugging.assert_equal").instead
    ('tf.assert_equal',)
    >>> print(about("tf.tpu.shrad").text)
    tpuref has no tf.tpu.shrad (nor has TensorFlow). Did you mean tf.tpu.shard?
    """
    spelling, short = _split(name)
    origin = _origin(spelling, short)
    synonyms = _synonyms(short)
    if spelling == V2 and not _releases(short, V2):
        synonyms = [f"compat.v1.{short}", *synonyms]
    instead = [
        f"tf.{other}"
        for other in synonyms
        if not is_private(other)
        and first_missing(other) is None
        and (_releases(short, V2) or not _is_of_2x_alone(other))
    ]
    close = [] if origin else _close(spelling, short)
    return Missing(name, origin, tuple(instead), tuple(close), _way(short, origin))


def _is_of_2x_alone(name: str) -> bool:
    """Whether tpuref has a name with the meaning of TensorFlow 2 only."""
    releases = [first_missing(f"compat.{v}.{name}") is None for v in ("v1", "v2")]
    return releases == [False, True]


def _way(short: str, origin: str) -> str:
    """Return the way out of a name; a private name has that of its public one."""
    if way := known_way_out(short):
        return way
    names = [short]
    if _is_private(short):
        names = [*itertools.filterfalse(_is_private, _synonyms(short)), short]
    for name in names:
        if way := way_out(_missing_beginnings(name)):
            return way
    if _is_private(short):
        return f"Use the documented names, which are in {_home(short)}."
    return OPERATION if origin and short.islower() else ""


def _home(short: str) -> str:
    """Return the namespace with the documented names of a private module."""
    package = short.partition(".python")[0]
    if package.startswith("contrib.") and first_missing(package) is None:
        return f"tf.{package}"
    homes = collections.Counter(
        name.rpartition(".")[0] for name in table().simplest_below(short)
    )
    most = [home for home, _ in homes.most_common(1)]
    return ".".join(["tf", *filter(None, most)])


def _missing_beginnings(name: str) -> list[str]:
    """Return a name and its beginnings that tpuref lacks, longest first."""
    shortest = first_missing(name) or name
    beginnings = [name]
    while len(beginnings[-1]) > len(shortest):
        beginnings.append(beginnings[-1].rpartition(".")[0])
    return beginnings


def longest_known(name: str) -> str:
    """Return the longest beginning of a missing name that TensorFlow has.

    A private name is cut after its first class or constant: releases list only those
    members of private classes that are public too.

    >>> longest_known("estimator.ModeKeys.TRAIN"), longest_known("shrad.x")
    ('estimator.ModeKeys.TRAIN', 'shrad')
    """
    beginnings = _missing_beginnings(name)
    private = _is_private(name)
    for beginning in beginnings:
        if _split(beginning)[1] in table() and _is_private(beginning) == private:
            return beginning
    if not private:
        return beginnings[-1]
    return next((b for b in reversed(beginnings) if _ends_in_capitals(b)), name)


def _ends_in_capitals(name: str) -> bool:
    return name.rpartition(".")[2][0].isupper()


def _split(name: str) -> tuple[str, str]:
    """Return the spelling (``tf``, `V1` or `V2`) and the name below it."""
    spelling = "tf"
    name = name.removeprefix("tf.")
    while name.startswith(("compat.v1.", "compat.v2.")):
        spelling = f"tf.{name[: len('compat.v1')]}"
        name = name.removeprefix(f"{spelling[3:]}.")
    return spelling, name


def _origin(spelling: str, short: str) -> str:
    """Return the releases that have a name."""
    own = _releases(short, spelling)
    other = "tf" if spelling == V1 else V1
    others = [release for release in _releases(short, other) if release not in own]
    if _is_private(short):
        return "it is private to TensorFlow"
    if own:
        also = f", and as {other}.{short} in {_span(others)}" if others else ""
        return f"in TensorFlow {_span(own)}{also}"
    if others:
        return f"as {other}.{short} in TensorFlow {_span(others)}"
    return ""


def _releases(short: str, spelling: str) -> list[str]:
    if spelling != V2:
        return table().releases(short, spelling)
    return [release for release in table().releases(short) if release[0] != "1"]


def _is_private(short: str) -> bool:
    return not PRIVATE.isdisjoint(short.split("."))


def _span(releases: Sequence[str]) -> str:
    """Return releases as text: neighbours as from-to."""
    every = table().every_release
    runs: list[list[str]] = []
    for release in releases:
        if runs and every.index(release) == every.index(runs[-1][-1]) + 1:
            runs[-1].append(release)
        else:
            runs.append([release])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else " and ".join(run) for run in runs
    )


def _synonyms(short: str) -> list[str]:
    """Return other names of the same object."""
    package, inside, rest = short.partition(".python.")
    if not (inside and package.startswith("contrib.")):
        return table().same(short)
    documented = f"{package}.{rest.rpartition('.')[2]}"  # contrib.tpu.shard
    return [documented, *table().same(documented)] if documented in table() else []


def _close(spelling: str, short: str) -> list[str]:
    """Return close matches: the same name in other namespaces, or similar names."""
    namespace, _, last = short.rpartition(".")
    before = f"{spelling}.{namespace}" if namespace else spelling
    below = names_below(namespace)
    cased = [f"{before}.{name}" for name in below if name.lower() == last.lower()]
    here = _like(last, below)[:2]
    there = _like(last, table().below(namespace))[:1]
    similar = [f"{before}.{name}" for name in here or there]
    return cased or everywhere(last)[:2] or similar


def _like(name: str, names: Collection[str]) -> list[str]:
    cutoff = 0.66 if len(name) < 5 else 0.75  # two letters of three have changed places
    return difflib.get_close_matches(name, names, cutoff=cutoff)
