"""Drawings of graphs: operations with their shapes, grouped by device."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tpuref.engine.drawings.dot import dot_to_svg
from tpuref.engine.graph.captions import AssignedCores, numbered
from tpuref.engine.graph.sketch import sketch
from tpuref.engine.graph.tensor import Operation


class GraphDrawing:
    """A drawing of a graph, the result of `Graph.draw`; notebooks show it.

    `dot` is the drawing in the language of Graphviz.

    Examples
    --------
    >>> with tf.Graph().as_default() as graph:
    ...     total = tf.constant([1.0, 2.0], name="a") + tf.constant(3.0, name="b")
    >>> [line.strip() for line in graph.draw().dot.splitlines() if "->" in line]
    ['"a" -> "add";', '"b" -> "add";']
    """

    def __init__(self, dot: str) -> None:
        self.dot = dot

    def svg(self) -> str:
        """Return the drawing as an SVG element.

        It raises RuntimeError if Graphviz is not installed or fails.
        """
        return dot_to_svg(self.dot)

    def save(self, file: str | Path) -> Path:
        """Write the drawing to a file.

        Return the path.  The name ends with ``.svg`` or ``.dot``; with another ending
        it raises ValueError.
        """
        path = Path(file)
        if path.suffix not in (".svg", ".dot"):
            raise ValueError(
                "GraphDrawing.save: the name of the file must end with .svg or .dot, "
                f"got {str(file)!r}"
            )
        text = self.dot if path.suffix == ".dot" else self.svg()
        path.write_text(text, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<GraphDrawing of {numbered('line', self.dot.count(chr(10)))}>"

    def __str__(self) -> str:
        return self.dot


def draw_operations(
    operations: Sequence[Operation], assigned: Mapping[str, AssignedCores]
) -> GraphDrawing:
    """Draw the operations of a graph: see `sketch`."""
    title = f"graph of {numbered('operation', len(operations))}"
    return GraphDrawing(sketch(title, operations, assigned))
