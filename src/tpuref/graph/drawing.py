"""Drawings of graphs: operations with their shapes, grouped by where they run."""

from __future__ import annotations

import html
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tpuref.base import nest
from tpuref.graph.dot import dot_to_svg, graphviz_is_present
from tpuref.graph.graph import Graph, with_parts
from tpuref.graph.lowering import needed_operations
from tpuref.graph.sketch import sketch
from tpuref.graph.tensor import Operation, Tensor
from tpuref.graph.whereabouts import numbered


class GraphDrawing:
    """A drawing of a graph, as `Graph.draw` gives it; notebooks show it.

    Attributes
    ----------
    dot
        The drawing as text in the language of Graphviz.

    Examples
    --------
    >>> import tpuref as tf
    >>> with tf.Graph().as_default() as graph:
    ...     total = tf.constant([1.0, 2.0], name="a") + tf.constant(3.0, name="b")
    >>> [line.strip() for line in graph.draw().dot.splitlines() if "->" in line]
    ['"a" -> "add";', '"b" -> "add";']
    """

    def __init__(self, dot: str) -> None:
        self.dot = dot

    def svg(self) -> str:
        """Return the drawing as SVG.

        Returns
        -------
        str
            The SVG element.

        Raises
        ------
        RuntimeError
            If Graphviz is not installed or fails.
        """
        return dot_to_svg(self.dot)

    def save(self, file: str | Path) -> Path:
        """Write the drawing to a file.

        Parameters
        ----------
        file
            Its name, which ends with ``.svg`` or ``.dot``.

        Returns
        -------
        pathlib.Path
            What was written: without Graphviz, a ``.dot`` file in the place of
            ``.svg``, and a warning says so.

        Raises
        ------
        ValueError
            If the name ends in another way.
        """
        path = Path(file)
        if path.suffix not in (".svg", ".dot"):
            raise ValueError(
                "GraphDrawing.save: the name of the file must end with .svg or .dot, "
                f"got {str(file)!r}"
            )
        if path.suffix == ".svg" and not graphviz_is_present():
            path = path.with_suffix(".dot")
            warnings.warn(
                f"Graphviz is not installed, so {str(file)!r} is not drawn; {path} has "
                f"the text for it: dot -Tsvg {path}",
                stacklevel=2,
            )
        text = self.dot if path.suffix == ".dot" else self.svg()
        path.write_text(text, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        if graphviz_is_present():
            return self.svg()
        return (
            "<p>Install Graphviz to see this drawing; this is the text for it.</p>"
            f"<pre>{html.escape(self.dot)}</pre>"
        )

    def __repr__(self) -> str:
        return f"<GraphDrawing of {numbered('line', self.dot.count(chr(10)))}>"

    def __str__(self) -> str:
        return self.dot


def draw_graph(graph: Graph, fetches: Any = None) -> GraphDrawing:
    """Draw a graph, or what some of it needs: see `Graph.draw`."""
    operations = graph.get_operations()
    if fetches is not None:
        operations = _needed(graph, fetches)
    title = f"graph of {numbered('operation', len(operations))}"
    return GraphDrawing(sketch(title, operations))


def _needed(graph: Graph, fetches: Any) -> list[Operation]:
    """Return the operations that fetches depend on, and those inside of them."""
    leaves = nest.flatten(with_parts(fetches))
    elements = [graph.as_graph_element(leaf) for leaf in leaves]
    tensors = [element for element in elements if isinstance(element, Tensor)]
    others = [element for element in elements if isinstance(element, Operation)]
    found = set(_with_inner(needed_operations(tensors, others, set())))
    return sorted(found, key=lambda operation: operation.index)


def _with_inner(operations: Iterable[Operation]) -> Iterable[Operation]:
    for operation in operations:
        yield operation
        for block in operation.blocks:
            yield from _with_inner(block.operations)
