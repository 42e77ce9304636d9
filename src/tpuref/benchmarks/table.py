"""Tables of what was measured, with targets and verdicts."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tpuref.benchmarks.contest import Samples
from tpuref.benchmarks.units import time_text


@dataclass(frozen=True)
class Goal:
    """What a point is held against.

    Attributes
    ----------
    against
        The name of what it is compared with.
    factor
        How many times as good as that it is; None where that was not measured.
    target
        How many times as good it is meant to be.
    """

    against: str
    factor: float | None
    target: float

    @property
    def verdict(self) -> str:
        """Whether the target was met, and how far it was missed.

        Examples
        --------
        >>> Goal("memcpy", factor=0.45, target=0.6).verdict
        'missed by 25 %'
        """
        if self.factor is None:
            return "not measured"
        if self.factor >= self.target:
            return "met"
        return f"missed by {100 * (1 - self.factor / self.target):.0f} %"


@dataclass(frozen=True)
class Row:
    """One measured point.

    Attributes
    ----------
    point
        What was measured, a text for each key column.
    samples
        Seconds of one operation in each round, by contestant.
    floor
        The seconds that the machine allows, None where there is no such bound.
    goals
        What the first contestant is held against.
    """

    point: Mapping[str, str]
    samples: Samples
    floor: float | None = None
    goals: Sequence[Goal] = ()

    @property
    def fraction(self) -> float | None:
        """The part of what the machine allows that the first contestant reaches."""
        own = next(iter(self.samples), None)
        if self.floor is None or own is None:
            return None
        return self.floor / statistics.median(self.samples[own])


@dataclass
class Table:
    """Points of one kind.

    Attributes
    ----------
    name
        What names its files.
    title
        What stands above it.
    contestants
        The names of the columns of seconds, the one to be judged first.
    rows
        The points.
    missing
        By contestant, why it was not measured.
    """

    name: str
    title: str
    contestants: Sequence[str]
    rows: list[Row] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row, report: Callable[[str], None]) -> None:
        """Take a row in, and report it."""
        self.rows.append(row)
        line = list(row.point.values())
        line += [f"{name} {self._median(row, name)}" for name in self.contestants]
        line += [f"{g.factor or 0:.2f} x {g.against} ({g.verdict})" for g in row.goals]
        report(f"{self.name}: {', '.join(line)}")

    def cells(self) -> list[list[str]]:
        """Return the head and a line of texts for each row."""
        keys = list(self.rows[0].point)
        floor = any(row.floor is not None for row in self.rows)
        goals = max(len(row.goals) for row in self.rows)
        head = [*keys, *self.contestants]
        head += ["floor", "reached"] * floor
        head += ["against", "times", "target", "verdict"] * goals
        return [head, *(self._line(row, floor, goals) for row in self.rows)]

    def _line(self, row: Row, floor: bool, goals: int) -> list[str]:
        line = list(row.point.values())
        line += [self._median(row, name) for name in self.contestants]
        if floor:
            line += _floor_cells(row)
        for goal in row.goals:
            factor = "-" if goal.factor is None else f"{goal.factor:.2f}"
            line += [goal.against, factor, f"{goal.target:g}", goal.verdict]
        return line + [""] * (4 * (goals - len(row.goals)))

    def _median(self, row: Row, name: str) -> str:
        if name in row.samples:
            return time_text(statistics.median(row.samples[name]))
        return self.missing.get(name, "-").partition(";")[0]

    def as_text(self) -> str:
        """Return the table for a terminal."""
        cells = self.cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                text.rjust(width) for text, width in zip(row, widths, strict=True)
            )
            for row in cells
        ]
        return "\n".join([self.title, "", *lines, *self._notes()])

    def as_markdown(self) -> str:
        """Return the table for a page."""
        head, *lines = self.cells()
        rows = [head, ["---"] * len(head), *lines]
        notes = [text for note in self._notes() for text in ("", note)]
        return "\n".join(["| " + " | ".join(row) + " |" for row in rows] + notes)

    def _notes(self) -> Iterable[str]:
        for name, reason in self.missing.items():
            yield f"{name}: {reason}"

    def as_json(self) -> dict[str, Any]:
        """Return everything, with the raw samples."""
        return {
            "name": self.name,
            "title": self.title,
            "missing": self.missing,
            "rows": [
                {
                    "point": dict(row.point),
                    "seconds": {k: _rounded(v) for k, v in row.samples.items()},
                    "floor": row.floor,
                    "goals": [
                        {
                            "against": goal.against,
                            "factor": goal.factor,
                            "target": goal.target,
                            "verdict": goal.verdict,
                        }
                        for goal in row.goals
                    ],
                }
                for row in self.rows
            ],
        }


def _floor_cells(row: Row) -> list[str]:
    if row.floor is None or row.fraction is None:
        return ["", ""]
    return [time_text(row.floor), f"{100 * row.fraction:.0f} %"]


def _rounded(seconds: Sequence[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in seconds]


def times_as_fast(samples: Samples, own: str, other: str) -> float:
    """Return how many times as fast one contestant is as another, round by round.

    Parameters
    ----------
    samples
        The seconds of each round.
    own, other
        The names of the two.

    Returns
    -------
    float
        The median of the quotients of the rounds, which a machine that is slower in
        some rounds than in others does not change.

    Examples
    --------
    >>> times_as_fast({"a": [1.0, 2.0, 1.0], "b": [3.0, 6.0, 3.5]}, "a", "b")
    3.0
    """
    pairs = zip(samples[own], samples[other], strict=True)
    return statistics.median(theirs / ours for ours, theirs in pairs)


def fastest(samples: Samples, names: Iterable[str]) -> str | None:
    """Return which of the contestants has the smallest median, None if there is none.

    Examples
    --------
    >>> fastest({"a": [1.0], "b": [3.0], "c": [2.0]}, ["b", "c", "d"])
    'c'
    """
    present = [name for name in names if name in samples]
    return min(present, key=lambda name: statistics.median(samples[name]), default=None)
