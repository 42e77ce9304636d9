"""Tables of measurements, with targets and verdicts."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tpuref.tools.benchmarks.contest import Samples
from tpuref.tools.benchmarks.units import time_text


@dataclass(frozen=True)
class Goal:
    """The target of a point."""

    against: str  # the name of the contestant to compare with
    # the measured speed relative to that contestant; None if not measured
    factor: float | None
    target: float  # the least relative speed that meets the target

    @property
    def verdict(self) -> str:
        """``met``, ``not measured``, or the percentage by which the target is missed.

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
    """One measured point."""

    point: Mapping[str, str]  # the measured case, a text for each key column
    samples: Samples  # seconds per operation in each round, by contestant
    # the minimum number of seconds on this machine, None if there is no such bound
    floor: float | None = None
    goals: Sequence[Goal] = ()  # the targets of the first contestant

    @property
    def fraction(self) -> float | None:
        """The fraction of the machine's limit that the first contestant reaches."""
        own = next(iter(self.samples), None)
        if self.floor is None or own is None:
            return None
        return self.floor / statistics.median(self.samples[own])


@dataclass
class Table:
    """A table of measured points of one kind."""

    name: str  # the name of its files
    title: str  # its title
    # the names of the columns of seconds; the first one is judged
    contestants: Sequence[str]
    rows: list[Row] = field(default_factory=list)  # the points
    # the reason why a contestant was not measured, by name
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row, report: Callable[[str], None]) -> None:
        """Add a row, and report it."""
        self.rows.append(row)
        line = list(row.point.values())
        line += [f"{name} {self._median(row, name)}" for name in self.contestants]
        line += [
            f"{goal.factor:.2f} x {goal.against} ({goal.verdict})"
            for goal in row.goals
            if goal.factor is not None
        ]
        report(f"{self.name}: {', '.join(line)}")

    def cells(self) -> list[list[str]]:
        """Return the header and a line of texts for each row."""
        keys = list(self.rows[0].point) if self.rows else []
        floor = any(row.floor is not None for row in self.rows)
        goals = max((len(row.goals) for row in self.rows), default=0)
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
                    "seconds": {k: _round(v) for k, v in row.samples.items()},
                    "floor": row.floor,
                    "goals": [
                        {**asdict(goal), "verdict": goal.verdict} for goal in row.goals
                    ],
                }
                for row in self.rows
            ],
        }


def _floor_cells(row: Row) -> list[str]:
    if row.floor is None or row.fraction is None:
        return ["", ""]
    return [time_text(row.floor), f"{100 * row.fraction:.0f} %"]


def _round(seconds: Sequence[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in seconds]


def times_as_fast(samples: Samples, own: str, other: str) -> float:
    """Return the speed of contestant `own` relative to `other`.

    It is the median of the ratios of the rounds: rounds in which the machine is slower
    do not distort it.

    >>> times_as_fast({"a": [1.0, 2.0, 1.0], "b": [3.0, 6.0, 3.5]}, "a", "b")
    3.0
    """
    pairs = zip(samples[own], samples[other], strict=True)
    return statistics.median(theirs / ours for ours, theirs in pairs)


def fastest(samples: Samples, names: Iterable[str]) -> str | None:
    """Return the contestant with the smallest median, None if there is none.

    >>> fastest({"a": [1.0], "b": [3.0], "c": [2.0]}, ["b", "c", "d"])
    'c'
    """
    present = [name for name in names if name in samples]
    return min(present, key=lambda name: statistics.median(samples[name]), default=None)
