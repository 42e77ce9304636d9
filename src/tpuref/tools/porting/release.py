"""The release of TensorFlow that a program is written for."""

from typing import NamedTuple

from tpuref.names.lookup import first_missing
from tpuref.names.releases import table
from tpuref.tools.porting.program import Program

SHOWN = 3
"""The number of names that a sentence gives as the reason."""

SWITCHES = ("disable_v2_behavior", "disable_eager_execution", "enable_v2_behavior")
"""Functions that a program calls only if its ``tf`` may be TensorFlow 2."""


class Release(NamedTuple):
    """The release that a program is written for."""

    number: int | None  # 1 or 2; None where nothing tells
    because: tuple[str, ...]  # the names that tell, the most frequent first

    @property
    def text(self) -> str:
        """The release in words: ``"TensorFlow 1 (tf.Session, tf.placeholder)"``."""
        if self.number is None:
            return "either release of TensorFlow: nothing in it tells"
        more = len(self.because) - SHOWN
        names = ", ".join(self.because[:SHOWN]) + (f" and {more} more" * (more > 0))
        return f"TensorFlow {self.number} ({names})"


def release_of(program: Program) -> Release:
    """Return the release that a program is written for.

    A name that ``tf`` has in one of the releases alone tells, and the release with more
    of them is taken.  ``tf.compat.v1`` is in both: a program that takes only its names
    means TensorFlow 1, one that takes them beside others of ``tf`` means TensorFlow 2.
    """
    telling: dict[int, list[tuple[int, str]]] = {1: [], 2: []}
    fixed = []
    for name in program.names:
        path = name.name.removeprefix("tf.")
        below = path.removeprefix("compat.v1.")
        if below != path and below not in SWITCHES:
            fixed.append((-len(name.places), name.name))
        elif (number := 2 if below != path else _only_in(path)) is not None:
            telling[number].append((-len(name.places), name.name))
    if not any(telling.values()):
        telling[1 if len(fixed) == len(program.names) else 2] = fixed
    ones, twos = (len(telling[number]) for number in (1, 2))
    if ones == twos == 0:
        return Release(None, ())
    number = 1 if ones >= twos else 2
    return Release(number, tuple(name for _, name in sorted(telling[number])))


def fixed_release(program: Program) -> int | None:
    """Return 1 if a program can take all its names from ``compat.v1``, else None."""
    if release_of(program).number != 1:
        return None
    names = (name.name.removeprefix("tf.") for name in program.names)
    below = (name for name in names if not name.startswith("compat."))
    return 1 if all(first_missing(f"compat.v1.{n}") is None for n in below) else None


def _only_in(path: str) -> int | None:
    """Return the release whose ``tf`` has a name, None if both or neither have it."""
    releases = {int(number.partition(".")[0]) for number in table().releases(path)}
    return releases.pop() if len(releases) == 1 else None
