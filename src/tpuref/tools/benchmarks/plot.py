"""Plots of tables as reproducible SVG."""

from __future__ import annotations

import statistics
from pathlib import Path

from tpuref.tools.benchmarks.table import Row, Table

# On dark pages: invert the lightness and keep the hues.
_DARK = """<style>
@media (prefers-color-scheme: dark) {
  #figure_1 { filter: invert(0.9) hue-rotate(180deg) }
}
</style>
"""


def write_plot(table: Table, path: Path) -> None:
    """Draw the medians of a table with matplotlib, a group of bars for each point."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = table.name
    from matplotlib import pyplot

    rows = [row for row in table.rows if row.samples]
    figure, axes = pyplot.subplots(figsize=(10, 1.5 + 0.32 * len(rows)))
    names = [name for name in table.contestants if any(name in r.samples for r in rows)]
    height = 0.8 / max(1, len(names))
    for number, name in enumerate(names):
        places = [k + (number + 0.5) * height - 0.4 for k in range(len(rows))]
        axes.barh(places, [_median(row, name) for row in rows], height, label=name)
    floors = [(k, row.floor) for k, row in enumerate(rows) if row.floor is not None]
    for k, floor in floors:
        label = "floor" if k == floors[0][0] else None
        axes.plot([floor, floor], [k - 0.4, k + 0.4], "k:", label=label)
    axes.set_yticks(range(len(rows)), [", ".join(row.point.values()) for row in rows])
    axes.set_xscale("log")
    axes.set_xlabel("seconds for one operation, median (less is better)")
    axes.set_title(table.title)
    axes.invert_yaxis()
    axes.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    drawn = path.read_text(encoding="utf-8")
    path.write_text(drawn.replace(" <defs>", f" {_DARK} <defs>", 1), encoding="utf-8")


def _median(row: Row, name: str) -> float:
    return statistics.median(row.samples[name]) if name in row.samples else 0.0
