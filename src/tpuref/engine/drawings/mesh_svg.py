"""Drawings of a mesh of chips and cores as SVG."""

import math
from collections.abc import Iterator

from tpuref.base.mesh import NO_DEVICE, Coordinates
from tpuref.engine.drawings.mesh_ascii import drawn_positions
from tpuref.engine.drawings.mesh_picture import MeshPicture
from tpuref.engine.drawings.svg import CHARACTER, Picture, colour_of

_CELL_HEIGHT = 22
_INSET = 4  # from a chip to its cores
_GAP = 10  # between chips, where hosts meet
_STRIP = 14  # above a row of chips, for the names of hosts
_MARGIN = 14
_WIDTH = 1200  # layers go below each other beyond it
_LEAST_WIDTH = 460
_SWATCH = 16


def mesh_svg(picture: MeshPicture) -> str:
    """Draw a mesh: x to the right, y down, layers of z next to each other."""
    return _Drawing(picture).svg()


class _Drawing:
    """The state of a drawing in progress, and the sizes of its parts."""

    def __init__(self, picture: MeshPicture) -> None:
        self._mesh = picture
        self._columns, self._rows, *layers, self._cores = map(
            drawn_positions, picture.mesh_shape
        )
        self._layers: list[Coordinates] = [(z,) for z in layers[0]] if layers else [()]
        self._sheet = Picture(picture.title, picture.description())
        self._stack = math.isqrt(len(self._cores))  # cores in a row of a chip
        longest = max(len(self._label(place)) for place in self._places())
        self._cell = max(30, round(longest * CHARACTER) + 10)
        self._chip_width = self._stack * self._cell + 2 * _INSET
        self._chip_height = (
            math.ceil(len(self._cores) / self._stack) * _CELL_HEIGHT + 2 * _INSET
        )
        self._slot = (self._chip_width + _GAP, self._chip_height + _GAP + _STRIP)
        self._axis = round(CHARACTER * len(f"y={self._rows[-1]}")) + 8

    def svg(self) -> str:
        self._sheet.text(_MARGIN, 24, self._mesh.title, size=14)
        width = self._axis + len(self._columns) * self._slot[0] + _MARGIN
        height = 40 + len(self._rows) * self._slot[1]
        in_row = max(1, min(len(self._layers), _WIDTH // width))
        for number, layer in enumerate(self._layers):
            row, column = divmod(number, in_row)
            left, top = _MARGIN + column * width, 34 + row * height
            self._plane(layer, left, top)
        full = max(_MARGIN + in_row * width, _LEAST_WIDTH)
        below = 34 + math.ceil(len(self._layers) / in_row) * height
        if any(size > len(drawn_positions(size)) for size in self._mesh.mesh_shape):
            self._sheet.text(_MARGIN, below + 8, "(part of the mesh)")
            below += 20
        return self._sheet.svg(full, self._legend(below + 10, full) + 12)

    def _places(self) -> Iterator[Coordinates]:
        for layer in self._layers:
            for y in self._rows:
                for x in self._columns:
                    for core in self._cores:
                        yield (x, y, *layer, core)

    def _plane(self, layer: Coordinates, left: int, top: int) -> None:
        """Draw the chips of a layer, their coordinates and their hosts."""
        width, height = self._slot
        if layer:
            self._sheet.text(left, top + 12, f"z={layer[0]}")
        left, top = left + self._axis, top + 24
        for column, x in enumerate(self._columns):
            middle = left + column * width + width / 2
            self._sheet.text(middle, top - 4, f"x={x}", anchor="middle")
        for row, y in enumerate(self._rows):
            foot = top + row * height + _STRIP + self._chip_height / 2 + 8
            self._sheet.text(left - self._axis, foot, f"y={y}")
            for column, x in enumerate(self._columns):
                self._chip((x, y, *layer), left + column * width, top + row * height)
        self._hosts(layer, left, top)

    def _chip(self, chip: Coordinates, left: int, top: int) -> None:
        """Draw a chip and its cores within its slot."""
        x, y = left + _GAP // 2, top + _STRIP + _GAP // 2
        self._sheet.rectangle(x, y, self._chip_width, self._chip_height)
        for number, core in enumerate(self._cores):
            row, column = divmod(number, self._stack)
            self._core(
                (*chip, core),
                x + _INSET + column * self._cell,
                y + _INSET + row * _CELL_HEIGHT,
            )

    def _core(self, place: Coordinates, x: int, y: int) -> None:
        number = self._mesh.colour(place)
        colour = None if number is None else colour_of(number)
        self._sheet.rectangle(
            x + 1,
            y + 1,
            self._cell - 2,
            _CELL_HEIGHT - 2,
            fill=None if colour is None else colour.fill,
            dashed=self._mesh.task_at(place) == NO_DEVICE,
            note=self._mesh.note(place),
        )
        self._sheet.text(
            x + self._cell / 2,
            y + _CELL_HEIGHT / 2 + 4,
            self._label(place),
            anchor="middle",
            fill=None if colour is None else colour.text,
        )

    def _label(self, place: Coordinates) -> str:
        text = self._mesh.label(place)
        if text is None:
            return "x" if self._mesh.task_at(place) == NO_DEVICE else "\u00b7"
        return text

    def _hosts(self, layer: Coordinates, left: int, top: int) -> None:
        """Outline each host, and write its name at its upper left corner."""
        width, height = self._slot
        borders: set[tuple[int, int, int, int]] = set()
        for row in range(len(self._rows)):
            for column in range(len(self._columns)):
                x, y = left + column * width, top + row * height
                here = self._host(column, row, layer)
                sides = {
                    (0, -1): (x, y, x + width, y),
                    (0, 1): (x, y + height, x + width, y + height),
                    (-1, 0): (x, y, x, y + height),
                    (1, 0): (x + width, y, x + width, y + height),
                }
                others = {
                    side: self._host(column + side[0], row + side[1], layer)
                    for side in sides
                }
                borders |= {sides[s] for s, there in others.items() if there != here}
                if here and here not in (others[0, -1], others[-1, 0]):
                    name = f"host {','.join(map(str, sorted(here)))}"
                    self._sheet.text(x + 6, y + 13, name, size=10)
        self._sheet.lines(
            " ".join(f"M{a} {b}L{c} {d}" for a, b, c, d in sorted(borders))
        )

    def _host(self, column: int, row: int, layer: Coordinates) -> frozenset[int]:
        """Return the tasks of a chip, none outside the drawing."""
        if not (0 <= column < len(self._columns) and 0 <= row < len(self._rows)):
            return frozenset()
        chip = (self._columns[column], self._rows[row], *layer)
        tasks = {self._mesh.task_at((*chip, core)) for core in self._cores}
        return frozenset(tasks - {NO_DEVICE})

    def _legend(self, top: int, width: int) -> int:
        """Write the legend line by line and return its lower edge."""
        x, y = _MARGIN, top
        for colour, meaning in self._mesh.swatches:
            step = round(len(meaning) * CHARACTER) + _SWATCH + 22
            if x > _MARGIN and x + step > width:
                x, y = _MARGIN, y + 22
            if colour is not None:
                fill = colour_of(colour).fill
                self._sheet.rectangle(x, y, _SWATCH, _SWATCH, fill=fill)
                self._sheet.text(x + _SWATCH + 6, y + 12, meaning)
            else:
                self._sheet.text(x, y + 12, meaning)
            x += step
        return y + 22
