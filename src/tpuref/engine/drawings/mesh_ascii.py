"""Drawings of a mesh of chips and cores as text."""

from collections.abc import Callable, Iterable, Sequence

from tpuref.base.mesh import NO_DEVICE, Coordinates, in_mesh, mesh_text

_DRAWN = 32
"""The largest number of positions along an axis that are drawn."""


def draw_mesh(
    mesh_shape: Iterable[int],
    task_at: Callable[[Coordinates], int],
    label: Callable[[Coordinates], str | None],
    focus: Coordinates | None = None,
) -> str:
    """Draw a mesh as text: x to the right, y down, brackets are chips, boxes hosts.

    `task_at` and `label` are called with coordinates; without a device there, a task is
    -1.  `focus` has coordinates that must be in the picture, inside the mesh or not.

    >>> print(draw_mesh((2, 1, 2), lambda place: place[0], {(1, 0, 1): "7!"}.get))
           x=0      x=1
        +--------+--------+
    y=0 |[.   . ]|[.   7!]|
        +--------+--------+
    """
    mesh = tuple(map(int, mesh_shape))
    ends = (0,) * len(mesh) if focus is None else focus
    drawn = [drawn_positions(size, at) for size, at in zip(mesh, ends, strict=True)]
    lines = _Picture(mesh, drawn, task_at, label).lines()
    if any(size > _DRAWN for size in mesh):
        lines.append(f"(part of mesh {mesh_text(mesh)})")
    return "\n".join(lines)


def drawn_positions(size: int, focus: int = 0) -> list[int]:
    """Return the positions along an axis that are drawn: all, or those near `focus`."""
    first = max(min(focus - _DRAWN // 2, size - _DRAWN), 0)
    return sorted({*range(first, min(first + _DRAWN, size)), focus})


class _Picture:
    """The cells of a mesh as text, and the lines between the hosts."""

    def __init__(
        self,
        mesh: Coordinates,
        drawn: Sequence[list[int]],
        task_at: Callable[[Coordinates], int],
        label: Callable[[Coordinates], str | None],
    ) -> None:
        self._mesh = mesh
        self._columns, self._rows, *layers, self._cores = drawn
        self._layers: list[Coordinates] = [(z,) for z in layers[0]] if layers else [()]
        self._task_at = task_at
        self._cells = {
            (x, y, *layer, core): ""
            for layer in self._layers
            for y in self._rows
            for x in self._columns
            for core in self._cores
        }
        for place in self._cells:
            text = label(place)
            self._cells[place] = self._state(place) if text is None else text
        self._cell_width = max(map(len, self._cells.values()))
        self._chip_width = (self._cell_width + 2) * len(self._cores)
        self._margin = max(len(f"y={y} ") for y in self._rows)

    def lines(self) -> list[str]:
        lines = []
        for layer in self._layers:
            if len(self._layers) > 1:
                lines.append(f"z={layer[0]}")
            lines.extend(self._plane(layer))
        return [line.rstrip() for line in lines]

    def _plane(self, layer: Coordinates) -> list[str]:
        titles = (f"x={x}".center(self._chip_width) for x in self._columns)
        lines = [" " * (self._margin + 1) + " ".join(titles)]
        hosts = {
            (column, row): self._hosts(x, y, layer)
            for row, y in enumerate(self._rows)
            for column, x in enumerate(self._columns)
        }
        rules = [self._rule(hosts, row) for row in range(len(self._rows) + 1)]
        for row, y in enumerate(self._rows):
            lines.append(" " * self._margin + rules[row])
            lines.append(f"y={y}".ljust(self._margin) + self._row(hosts, row, layer))
        lines.append(" " * self._margin + rules[-1])
        return [line for line in lines if not set(line) <= set(" |")]

    def _state(self, place: Coordinates) -> str:
        if not in_mesh(self._mesh, place):
            return ""
        return "x" if self._task_at(place) == NO_DEVICE else "."

    def _hosts(self, x: int, y: int, layer: Coordinates) -> frozenset[int]:
        places = [(x, y, *layer, core) for core in self._cores]
        inside = [place for place in places if in_mesh(self._mesh, place)]
        return frozenset(map(self._task_at, inside)) - {NO_DEVICE}

    def _row(
        self, hosts: dict[tuple[int, int], frozenset[int]], row: int, layer: Coordinates
    ) -> str:
        text = ""
        for column in range(len(self._columns) + 1):
            left = hosts.get((column - 1, row), frozenset())
            here = hosts.get((column, row), frozenset())
            text += " " if left == here else "|"
            if column < len(self._columns):
                text += self._chip(self._columns[column], self._rows[row], layer)
        return text

    def _chip(self, x: int, y: int, layer: Coordinates) -> str:
        cores = [core for core in self._cores if 0 <= core < self._mesh[-1]]
        real = in_mesh(self._mesh, (x, y, *layer, cores[0]))
        text = ""
        for core in self._cores:
            text += "[" if real and core == cores[0] else " "
            place = (x, y, *layer, core)
            text += self._cells[place].center(self._cell_width)
            text += "]" if real and core == cores[-1] else " "
        return text

    def _rule(self, hosts: dict[tuple[int, int], frozenset[int]], row: int) -> str:
        text = ""
        for column in range(len(self._columns) + 1):
            corner = [
                hosts.get((column + right, row + down), frozenset())
                for right, down in ((-1, -1), (0, -1), (-1, 0), (0, 0))
            ]
            text += _crossing(*corner)
            if column < len(self._columns):
                text += (" " if corner[1] == corner[3] else "-") * self._chip_width
        return text


def _crossing(
    above_left: frozenset[int],
    above_right: frozenset[int],
    below_left: frozenset[int],
    below_right: frozenset[int],
) -> str:
    upright = above_left != above_right or below_left != below_right
    level = above_left != below_left or above_right != below_right
    if upright and level:
        return "+"
    return "-" if level else "|" if upright else " "
