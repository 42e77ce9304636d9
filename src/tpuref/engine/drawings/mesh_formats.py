"""The formats of mesh drawings."""

from typing import Literal

from tpuref.base.arguments import wrong_type
from tpuref.engine.drawings.mesh_ascii import draw_mesh
from tpuref.engine.drawings.mesh_picture import MeshPicture
from tpuref.engine.drawings.mesh_svg import mesh_svg

Format = Literal["text", "svg"]
"""Plain ASCII, or an SVG document."""


def draw_picture(picture: MeshPicture, format: str) -> str:
    """Draw a mesh in a `Format`, or raise TypeError or ValueError."""
    if not isinstance(format, str):
        raise wrong_type("draw: format", "'text' or 'svg'", format)
    if format == "text":
        lines = draw_mesh(picture.mesh_shape, picture.task_at, picture.label)
        return f"{picture.title}\n{lines}\n{picture.legend}"
    if format == "svg":
        return mesh_svg(picture)
    raise ValueError(f"draw: format must be 'text' or 'svg', got {format!r}")
