"""Define `BuiltModel`: the graph that an estimator builds before a session."""

from collections.abc import Sequence
from typing import Any

from tpuref.interface.estimator.spec import EstimatorSpec
from tpuref.interface.training.hooks.stop_at_step import StopAtStepHook


class BuiltModel:
    """A model in the default graph; each run of a session is one step.

    `logs` are the hooks that log its training, `count_every` is the number of steps
    between lines about its speed, None for no lines.
    """

    steps_per_run = 1

    def __init__(
        self,
        spec: EstimatorSpec,
        logs: Sequence[Any] = (),
        count_every: int | None = None,
    ) -> None:
        self.spec, self.logs, self.count_every = spec, logs, count_every

    def end_hooks(self, steps: int | None, max_steps: int | None) -> list[Any]:
        """Return the hooks that end training."""
        if steps is None and max_steps is None:
            return []
        return [StopAtStepHook(steps, max_steps)]

    def runs(self, steps: int | None) -> int | None:
        """Return the number of runs that evaluate some steps."""
        return steps

    def check_finished(self) -> None:
        """Accept that the input ended before the last step."""
