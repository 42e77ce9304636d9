"""Define `StepLoop`: the steps of one run of a session, as a loop on the cores."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base.dtypes import float32, int32
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.lowering import needed_operations
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.estimator.built_model import BuiltModel
from tpuref.interface.estimator.host_calls import HostCalls
from tpuref.interface.estimator.loop_hook import LoopHook
from tpuref.interface.estimator.mode_keys import ModeKeys
from tpuref.interface.estimator.replica_input import ReplicaInput
from tpuref.interface.estimator.spec import EstimatorSpec
from tpuref.interface.estimator.tpu_context import Replicas
from tpuref.interface.estimator.tpu_spec import TPUEstimatorSpec
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.placeholders import placeholder
from tpuref.interface.tpu.sharding import shard
from tpuref.interface.tpu.training_loop import while_loop

INITIAL_LOSS = 1e7
"""The loss of a loop before its first step."""


class BuiltLoop(BuiltModel):
    """A model on the cores; each run of a session is a loop of steps."""

    def __init__(
        self,
        spec: EstimatorSpec,
        logs: Sequence[Any],
        steps_per_run: int,
        hook: LoopHook,
    ) -> None:
        super().__init__(spec, logs)
        self.steps_per_run, self._hook = steps_per_run, hook

    def end_hooks(self, steps: int | None, max_steps: int | None) -> list[Any]:
        """Return no hooks, as `LoopHook` counts the steps."""
        return []

    def runs(self, steps: int | None) -> int | None:
        """Return 1, as one run evaluates all steps."""
        return 1

    def check_finished(self) -> None:
        """Raise OutOfRangeError if the input ended before the last step."""
        self._hook.check_finished()


class CoreModel:
    """A model function for computations of the cores; `spec` is its last result."""

    spec: TPUEstimatorSpec

    def __init__(self, call: Callable[[Any, Any], TPUEstimatorSpec]) -> None:
        self._call = call

    def __call__(self, features: Any, labels: Any) -> TPUEstimatorSpec:
        """Build the model of a replica."""
        self.spec = self._call(features, labels)
        return self.spec


class StepLoop:
    """A loop of steps in one mode; `limit` is fed with their number.

    Each step takes its input from `fed`, builds `model` and sends the tensors of
    `calls`.  The loss is that of the last step of training, or the sum of all steps of
    an evaluation.
    """

    def __init__(
        self, mode: str, fed: ReplicaInput, model: CoreModel, calls: HostCalls
    ) -> None:
        self._training = mode == ModeKeys.TRAIN
        self._fed, self._model, self._calls = fed, model, calls
        self.limit = placeholder(int32, [], name="iterations_per_loop")

    def on_cores(self, replicas: Replicas) -> Tensor:
        """Add the loop to the graph, and return the loss."""
        first = INITIAL_LOSS if self._training else 0.0
        with get_default_graph().control_dependencies([self._fed.begin(self.limit)]):
            losses: list[Tensor] = shard(
                lambda: while_loop(self._goes_on, self._step, [0, first])[1],
                num_shards=replicas.count,
                outputs_from_all_shards=False,
                device_assignment=replicas.assignment,
            )
        return losses[0]

    def _goes_on(self, turn: Tensor, loss: Tensor) -> Tensor:
        return turn < self.limit

    def _step(self, turn: Tensor, loss: Tensor) -> list[Tensor]:
        region = get_default_graph().region
        assert region is not None
        before = len(region.operations)
        spec = self._model(*self._fed.dequeue())
        if not self._training:
            self._calls.add("eval_metrics", spec.eval_metrics)
        self._calls.add("host_call", spec.host_call)
        done = self._calls.sent(turn)
        if self._training:
            done.append(spec.train_op)
        own = cast(spec.loss, float32)
        # The loop variable depends on the step and its host calls: they run before the
        # next step, although the loop fetches the loss alone.
        with get_default_graph().control_dependencies(done):
            last = identity(own) if self._training else loss + own
        # A loop runs every operation of its body, but model functions build a training
        # step in every mode.  As in TensorFlow, only what the mode needs runs.
        needed = needed_operations([last], (), set())
        built = region.operations[before:]
        region.operations[before:] = [one for one in built if one in needed]
        return [turn + 1, last]
