"""Send tensors from the cores in every step, and pass them to the host calls."""

import threading
from collections.abc import Callable
from typing import Any

from tpuref.base import nest
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.estimator import tpu_spec
from tpuref.interface.estimator.tpu_context import Replicas
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.control_flow import cond
from tpuref.interface.functions.dependencies import no_op
from tpuref.interface.functions.joining import concat
from tpuref.interface.tpu.feeds import outfeed_dequeue_tuple, outfeed_enqueue_tuple


class HostCalls:
    """The host calls of a loop, sent in its first and then in every `every`-th step."""

    def __init__(self, replicas: Replicas, every: int) -> None:
        self._replicas, self._every = replicas, every
        self._calls: dict[str, tuple[Callable[..., Any], Any]] = {}

    def add(self, name: str, call: Any) -> None:
        """Add a pair of a function and its tensors; called while building the step."""
        if call is None:
            return
        function, tensors = call
        kept = nest.map_structure(tpu_spec.at_least_rank_1, tensors)
        for tensor in nest.flatten(kept):
            if not tensor.shape.is_fully_defined():
                raise tpu_spec.invalid_host_call(
                    name, f"{tensor.describe()} must have a static shape"
                )
        self._calls[name] = function, kept

    def sent(self, turn: Tensor) -> list[Operation]:
        """Return the operations that send the tensors in step `turn` of the loop."""
        leaves = self._leaves()
        if not leaves:
            return []

        def send() -> Any:
            return outfeed_enqueue_tuple(leaves)

        # LoopHook runs as many dequeues as this condition lets enqueues run.
        if self._every == 1:
            return [send()]
        return [cond(equal(turn % self._every, 0), send, no_op)]

    def _leaves(self) -> list[Tensor]:
        return [leaf for _, own in self._calls.values() for leaf in nest.flatten(own)]

    def built(self) -> dict[str, Any]:
        """Call the functions on the host with joined tensors; return their results."""
        leaves = self._leaves()
        if not leaves:
            return {name: tpu_spec.called(*call) for name, call in self._calls.items()}
        taken = [self._dequeue(k, leaves) for k in range(self._replicas.count)]
        joined = iter([concat(parts, axis=0) for parts in zip(*taken, strict=True)])
        given = {}
        for name, (function, own) in self._calls.items():
            tensors = [next(joined) for _ in nest.flatten(own)]
            given[name] = tpu_spec.called(function, nest.pack_sequence_as(own, tensors))
        return given

    def _dequeue(self, replica: int, leaves: list[Tensor]) -> list[Tensor]:
        task, ordinal = self._replicas.outfeed_of(replica)
        with get_default_graph().device(f"/task:{task}" if task else ""):
            return outfeed_dequeue_tuple(
                [leaf.dtype for leaf in leaves],
                [leaf.shape for leaf in leaves],
                device_ordinal=ordinal,
            )


class HostCallThread:
    """Runs operations `steps` times in a thread, while a loop sends their tensors."""

    def __init__(self, session: Any, operations: Any, steps: int) -> None:
        self._session, self._operations, self._steps = session, operations, steps
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._work, name="tpuref host calls", daemon=True
        )
        self._thread.start()

    def _work(self) -> None:
        try:
            for _ in range(self._steps):
                self._session.run(self._operations)
        except BaseException as error:  # raised where the loop was started
            self._error = error

    def finish(self) -> None:
        """Join the thread, and raise the error of a host call."""
        self._thread.join()  # ends: each dequeue of the thread has a deadline
        if self._error is not None:
            raise self._error
