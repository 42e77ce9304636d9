"""The graph in which Keras infers the shapes of a layer's results."""

from __future__ import annotations

from tpuref.engine.graph.graph import Graph


class FuncGraph(Graph):
    """A graph built as the body of a function; its tensors and variables outlive it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.traced = True
