"""The graph in which Keras infers the shapes of a layer's results."""

from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.tensor import Tensor


class FuncGraph(Graph):
    """A graph built as the body of a function; its tensors and variables outlive it.

    A tensor of another graph is captured: a placeholder stands for it.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.traced = True
        self._captured: dict[Tensor, Tensor] = {}

    def _within_reach(self, tensor: Tensor) -> Tensor:
        if tensor.graph is self:
            return super()._within_reach(tensor)
        if tensor not in self._captured:
            capture = self.create_operation("Placeholder", specs=[tensor.spec])
            self._captured[tensor] = capture.outputs[0]
        return self._captured[tensor]
