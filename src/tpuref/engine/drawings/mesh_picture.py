"""What is drawn of a mesh, whether as text, for a terminal, or as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from tpuref.base.mesh import Coordinates
from tpuref.engine.drawings.mesh_ascii import drawn_positions
from tpuref.engine.drawings.svg import COLOURS

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

    def description(self) -> str:
        """Return a sentence about each core, as far as somebody would listen."""
        places = list(product(*map(drawn_positions, self.mesh_shape)))
        said = "; ".join(map(self.note, places[:_SAID]))
        more = "" if len(places) <= _SAID else f"; and {len(places) - _SAID} more"
        return f"{self.title}. {said}{more}"


def swatches_of(noun: str, count: int) -> list[tuple[int | None, str]]:
    """Return the legend of numbered things, whose colours come round again."""
    swatches: list[tuple[int | None, str]] = []
    for first in range(min(count, len(COLOURS))):
        numbers = [str(number) for number in range(first, count, len(COLOURS))]
        if count > _NAMED:
            numbers[2:] = ["..."]
        swatches.append((first, f"{noun} {', '.join(numbers)}"))
    return swatches
