"""Define the method `run` of sessions of every kind."""

from typing import Any, overload

from tpuref.engine.graph.fetches import Evaluates, EvaluatesT, Key
from tpuref.engine.graph.session_options import RunMetadata, RunOptions
from tpuref.engine.graph.tensor import Operation
from tpuref.engine.ops.meaning import Array


class Runner:
    """Evaluates fetches."""

    @overload
    def run(
        self,
        fetches: Operation,
        feed_dict: dict[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> None: ...
    @overload
    def run(
        self,
        fetches: Evaluates,
        feed_dict: dict[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Array: ...
    @overload
    def run(
        self,
        fetches: list[EvaluatesT],
        feed_dict: dict[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> list[Array]: ...
    @overload
    def run(
        self,
        fetches: dict[Key, EvaluatesT],
        feed_dict: dict[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> dict[Key, Array]: ...
    @overload
    def run(
        self,
        fetches: Any,
        feed_dict: dict[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any: ...
    def run(
        self,
        fetches: Any,
        feed_dict: dict[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """Evaluate `fetches` and return their values in the same structure.

        NumPy arrays (NumPy scalars for rank 0, bytes for text) replace tensors, and
        None replaces operations.  `fetches` is a tensor, operation, variable, the name
        of one, or a nested list, tuple, namedtuple or dict of those.  `feed_dict` has
        values that stand in for tensors; a key may also be a tuple of tensors, its
        value then a tuple of as many values.  With `options` of the
        ``trace_level=RunOptions.FULL_TRACE``, `run_metadata` receives what ran on which
        core.

        It raises RuntimeError if the session is closed, TypeError if a fetch or a fed
        value cannot be used, or a key of `feed_dict` is not a tensor of the graph, and
        ValueError if a fetch is not in the graph, or a fed value has another shape.  If
        an operation fails it raises `tpuref.errors.OpError`.
        """
        return self._evaluate(fetches, feed_dict, options, run_metadata)

    def _evaluate(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        raise NotImplementedError
