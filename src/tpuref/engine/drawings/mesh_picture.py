"""The content of a mesh drawing, for all formats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from tpuref.base.mesh import Coordinates
from tpuref.engine.drawings.mesh_ascii import drawn_positions
from tpuref.engine.drawings.svg import COLOURS

_NAMED = 2 * len(COLOURS)
_DESCRIBED = 64


@dataclass(frozen=True)
class MeshPicture:
    """A mesh with the labels and colours of its cores."""

    title: str
    mesh_shape: tuple[int, ...]
    # The task at a place inside the mesh, -1 for no device
    task_at: Callable[[Coordinates], int]
    # The text on a core, None for a core that is free or has no device
    label: Callable[[Coordinates], str | None]
    # The replica or host that gives a core its colour, None for none
    colour: Callable[[Coordinates], int | None]
    note: Callable[[Coordinates], str]
    legend: str
    # The legend of the picture: numbers of colours, and their meanings
    swatches: Sequence[tuple[int | None, str]]

    def description(self) -> str:
        """Return the text for screen readers, with the notes of the first cores."""
        places = list(product(*map(drawn_positions, self.mesh_shape)))
        notes = "; ".join(map(self.note, places[:_DESCRIBED]))
        rest = len(places) - _DESCRIBED
        more = f"; and {rest} more" if rest > 0 else ""
        return f"{self.title}. {notes}{more}"


def swatches_of(noun: str, count: int) -> list[tuple[int | None, str]]:
    """Return the legend of numbered things; their colours repeat."""
    swatches: list[tuple[int | None, str]] = []
    for first in range(min(count, len(COLOURS))):
        numbers = [str(number) for number in range(first, count, len(COLOURS))]
        if count > _NAMED:
            numbers[2:] = ["..."]
        swatches.append((first, f"{noun} {', '.join(numbers)}"))
    return swatches
