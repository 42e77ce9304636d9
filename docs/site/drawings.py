"""Draw docs/images: ``python docs/site/drawings.py``.

For the example that learns it needs scikit-learn and rich.
"""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path

import tpuref as tf

TPU = tf.contrib.tpu
ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
CELL = 26
STYLE = """<style>
.ink { color: #222222 }
.value { color: #3f51b5 }
.padding { color: #c5cae9 }
@media (prefers-color-scheme: dark) {
  .ink { color: #e6edf3 }
  .value { color: #9fa8da }
  .padding { color: #4a5280 }
}
</style>"""


def cells(x: int, y: int, values: int, size: int) -> list[str]:
    """Return a row of cells: first values, then padding."""
    return [
        f'<rect x="{x + k * CELL}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" '
        f'rx="3" class="{"value" if k < values else "padding"}" fill="currentColor"/>'
        for k in range(size)
    ]


def label(x: int, y: int, text: str) -> str:
    """Return a line of text."""
    return f'<text x="{x}" y="{y}">{text}</text>'


def picture(width: int, height: int, title: str, parts: list[str]) -> str:
    """Return an SVG document."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{title}</title>",
        STYLE,
        '<g class="ink" font-family="sans-serif" font-size="14" fill="currentColor">',
        *parts,
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def padding() -> str:
    """Draw inputs of 3 and 5 elements: unpadded, to the largest, in a bucket."""
    parts = []
    columns = [("unpadded", None), ("to the largest", 5), ("to a power of two", 8)]
    for x, (title, size) in zip((90, 260, 430), columns, strict=True):
        parts.append(label(x, 24, title))
        for replica, values in enumerate((3, 5)):
            parts += cells(x, 38 + 40 * replica, values, size or values)
    parts += [label(8, 56 + 40 * replica, f"replica {replica}") for replica in (0, 1)]
    parts += [*cells(90, 130, 1, 1), label(122, 147, "a value of the replica")]
    parts += [*cells(290, 130, 0, 1), label(322, 147, "padding; no result sees it")]
    return picture(660, 168, "Padding of inputs of 3 and 5 elements", parts)


def mesh() -> str:
    """Draw the cores of two hosts."""
    return TPU.Topology.for_mesh(4, 2, 2).draw("svg")


def blocks() -> str:
    """Draw replicas of two chips each."""
    topology = TPU.Topology.for_mesh(4, 2, 2)
    return TPU.device_assignment(topology, [2, 1, 2], num_replicas=4).draw("svg")


def losses_of(cores: int, steps: int) -> list[float]:
    """Return the losses of examples/convolutional_digits.py on so many cores."""
    example = runpy.run_path(str(ROOT / "examples" / "convolutional_digits.py"))
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        tf.set_random_seed(1)
        counts = ["--steps", str(steps), "--cores", str(cores)]
        example["main"](["--folder", folder, *counts])
        (path,) = Path(folder).glob("events.*")
        events = tf.train.summary_iterator(str(path))
        return [e.summary.value[0].simple_value for e in events if e.summary.value]


def losses(steps: int = 100) -> str:
    """Draw the losses of 100 steps on one core and on eight."""
    parts, (left, top, width, height) = [], (56, 40, 560, 220)
    curves = {cores: losses_of(cores, steps) for cores in (1, 8)}
    highest = max(max(curve) for curve in curves.values())
    styles = {1: ("padding", 8), 8: ("value", 2)}
    for k, (cores, curve) in enumerate(curves.items()):
        name, width_of_line = styles[cores]
        drawn = f'class="{name}" stroke="currentColor" stroke-width="{width_of_line}"'
        across, up = width / (steps - 1), height / highest
        points = " ".join(
            f"{left + across * x:.1f},{top + height - up * y:.1f}"
            for x, y in enumerate(curve)
        )
        parts.append(f'<polyline fill="none" {drawn} points="{points}"/>')
        y = 54 + 24 * k
        parts.append(f'<path d="M440 {y}h40" {drawn}/>')
        parts.append(label(490, y + 5, "1 core" if cores == 1 else f"{cores} cores"))
    bottom = top + height
    parts.append(
        f'<path d="M{left} {top}V{bottom}H{left + width}" fill="none" '
        'stroke="currentColor"/>'
    )
    parts += [label(16, top + 5, f"{highest:.1f}"), label(24, bottom + 5, "0")]
    parts += [label(16, 24, "loss"), label(left + width - 24, bottom + 20, f"{steps}")]
    parts.append(label(left + width // 2, bottom + 20, "step"))
    return picture(640, 300, "The loss over the steps, on one core and on eight", parts)


DRAWINGS = {"padding": padding, "mesh": mesh, "blocks": blocks}


if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        (IMAGES / f"{name}.svg").write_text(draw(), encoding="utf-8")
    (IMAGES / "losses.svg").write_text(losses(), encoding="utf-8")
