"""The formats of mesh drawings."""

from collections.abc import Callable
from typing import Literal

from tpuref.base.arguments import wrong_type
from tpuref.base.mesh import Coordinates
from tpuref.engine.drawings.mesh_ascii import draw_mesh
from tpuref.engine.drawings.mesh_picture import MeshPicture
from tpuref.engine.drawings.mesh_svg import mesh_svg
from tpuref.engine.drawings.svg import colour_of

Format = Literal["text", "terminal", "svg"]
"""Plain ASCII, the same with the colours of a terminal, or an SVG document."""


def draw_picture(picture: MeshPicture, format: str) -> str:
    """Draw a mesh in a `Format`, or raise TypeError or ValueError."""
    if not isinstance(format, str):
        raise wrong_type("draw: format", "'text', 'terminal' or 'svg'", format)
    if format == "text":
        return _text(picture)
    if format == "terminal":
        return _text(picture, _painter(picture))
    if format == "svg":
        return mesh_svg(picture)
    raise ValueError(
        f"draw: format must be 'text', 'terminal' or 'svg', got {format!r}"
    )


def _text(
    picture: MeshPicture, paint: Callable[[Coordinates, str], str] | None = None
) -> str:
    lines = draw_mesh(picture.mesh_shape, picture.task_at, picture.label, paint=paint)
    return f"{picture.title}\n{lines}\n{picture.legend}"


def _painter(picture: MeshPicture) -> Callable[[Coordinates, str], str]:
    """Return the function that adds terminal colours to the text of a core."""

    def paint(place: Coordinates, text: str) -> str:
        number = picture.colour(place)
        if number is None:
            return text
        colour = colour_of(number)
        return f"\x1b[38;5;{colour.terminal_text};48;5;{colour.terminal}m{text}\x1b[0m"

    return paint
