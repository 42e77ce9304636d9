"""The names that releases of TensorFlow have.

They were measured in real releases by `maintenance/release_names.py`, which describes
the file.  It is read when the first message about a missing name is written.
"""

import functools
import gzip
from collections.abc import Iterable
from pathlib import Path

FILE = Path(__file__).with_name("releases.txt.gz")


class Table:
    """All names, without ``tf.`` and ``tf.compat.v1.``, and who has them."""

    def __init__(self, lines: Iterable[str]) -> None:
        first, *rest = lines
        self._columns = [text.split(" ") for text in first.split(", ")]
        self._facts = dict(line.split(" ", 1) for line in rest)

    @property
    def every_release(self) -> list[str]:
        """The releases that were measured, oldest first."""
        return [release for spelling, release in self._columns if spelling == "tf"]

    def __contains__(self, name: str) -> bool:
        return name in self._facts

    def releases(self, name: str, spelling: str = "tf") -> list[str]:
        """Return the releases that have a name, oldest first."""
        bits = int(self._facts.get(name, "0").split(" ")[0], 16)
        return [
            release
            for bit, (spelled, release) in enumerate(self._columns)
            if bits >> bit & 1 and spelled == spelling
        ]

    def same(self, name: str) -> list[str]:
        """Return other names of the same object, the simplest first."""
        if name not in self:
            return []
        first = self._simplest(name) or name
        group = [first, *self._groups.get(first, [])]
        return [other for other in group if other != name]

    def below(self, namespace: str) -> list[str]:
        """Return the names directly below a namespace; ``""`` is ``tf``."""
        split = (name.rpartition(".") for name in self._facts)
        return [last for before, _, last in split if before == namespace]

    def has_below(self, module: str) -> bool:
        """Return whether any name begins with that of a module."""
        return any(name.startswith(f"{module}.") for name in self._facts)

    def simplest_below(self, module: str) -> list[str]:
        """Return the simplest name of each object of a private module."""
        names = [name for name in self._facts if name.startswith(f"{module}.")]
        return [first for name in names if (first := self._simplest(name))]

    def _simplest(self, name: str) -> str:
        return self._facts[name].partition(" ")[2]

    @functools.cached_property
    def _groups(self) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for name in self._facts:
            if first := self._simplest(name):
                groups.setdefault(first, []).append(name)
        return groups


@functools.cache
def table() -> Table:
    """Return the names, read once.

    >>> table().releases("contrib.tpu.TPUEstimator")
    ['1.8', '1.11', '1.15']
    >>> table().same("debugging.assert_equal")
    ['assert_equal', 'python.ops.check_ops.assert_equal']
    """
    return Table(gzip.decompress(FILE.read_bytes()).decode("ascii").splitlines())
