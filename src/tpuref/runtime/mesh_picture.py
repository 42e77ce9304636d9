"""What is drawn of a mesh, whether as text, for a terminal, or as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from tpuref.base.svg import COLOURS, colour_of
from tpuref.runtime.mesh_drawing import Coordinates, draw_mesh, drawn_positions

Format = Literal["text", "terminal", "svg"]
"""Plain ASCII, the same with the colours of a terminal, or an SVG document."""

_NAMED = 2 * len(COLOURS)
_SAID = 64


@dataclass(frozen=True)
class MeshPicture:
    """A mesh, and what stands on its cores.

    Parameters
    ----------
    title
        The line above it.
    mesh_shape
        The size of the mesh along each of its three or four axes.
    task_at
        The task at a place inside the mesh, -1 for no device.
    label
        What is written on a core, None for a core that is free or has no device.
    colour
        The replica or host that gives a core its colour, None for none.
    note
        A sentence about a core, shown to a pointer that rests on it.
    legend
        The line below the text.
    swatches
        The legend of the picture: numbers of colours, and what they mean.
    """

    title: str
    mesh_shape: tuple[int, ...]
    task_at: Callable[[Coordinates], int]
    label: Callable[[Coordinates], str | None]
    colour: Callable[[Coordinates], int | None]
    note: Callable[[Coordinates], str]
    legend: str
    swatches: Sequence[tuple[int | None, str]]

    def draw(self, format: str) -> str:
        """Draw it as a `Format`; ValueError where there is no such."""
        if format == "text":
            return self._text()
        if format == "terminal":
            return self._text(self._painted)
        if format == "svg":
            from tpuref.runtime.mesh_svg import mesh_svg  # knows what a picture is

            return mesh_svg(self)
        raise ValueError(
            f"draw: format must be 'text', 'terminal' or 'svg', got {format!r}"
        )

    def description(self) -> str:
        """Return a sentence about each core, as far as somebody would listen."""
        places = list(product(*map(drawn_positions, self.mesh_shape)))
        said = "; ".join(map(self.note, places[:_SAID]))
        more = "" if len(places) <= _SAID else f"; and {len(places) - _SAID} more"
        return f"{self.title}. {said}{more}"

    def _text(self, paint: Callable[[Coordinates, str], str] | None = None) -> str:
        lines = draw_mesh(self.mesh_shape, self.task_at, self.label, paint=paint)
        return f"{self.title}\n{lines}\n{self.legend}"

    def _painted(self, place: Coordinates, text: str) -> str:
        number = self.colour(place)
        if number is None:
            return text
        colour = colour_of(number)
        return f"\x1b[38;5;{colour.terminal_text};48;5;{colour.terminal}m{text}\x1b[0m"


def swatches_of(noun: str, count: int) -> list[tuple[int | None, str]]:
    """Return the legend of numbered things, whose colours come round again."""
    swatches: list[tuple[int | None, str]] = []
    for first in range(min(count, len(COLOURS))):
        numbers = [str(number) for number in range(first, count, len(COLOURS))]
        if count > _NAMED:
            numbers[2:] = ["..."]
        swatches.append((first, f"{noun} {', '.join(numbers)}"))
    return swatches
