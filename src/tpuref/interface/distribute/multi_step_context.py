"""The context of a step function of ``run_steps_on_dataset``."""

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.tensor import Operation
from tpuref.interface.distribute.batching import combined_value
from tpuref.interface.distribute.place import current_place
from tpuref.interface.distribute.tower_devices import TowerDevices


class MultiStepContext:
    """The context of a step function, which ``run_steps_on_dataset`` also returns.

    See 001_66db0865fe92828f.txt, run_steps_on_dataset.  `run_op` is the operation that
    runs all steps; None in eager mode, after they ran.  `last_step_outputs` are the
    outputs of the last step by name: a per-device value that is also a list with one
    tensor for each tower, or a tensor if the outputs were combined or there is one
    tower.  Evaluating it runs the steps.  `non_tensor_outputs` are the values of
    `set_non_tensor_output` by name.

    Examples
    --------
    >>> class Local:
    ...     def master(self): return "local"
    ...     def cluster_spec(self): return None
    >>> with tf.Graph().as_default(), tf.config.override(cores=2):
    ...     strategy = tf.contrib.distribute.TPUStrategy(Local(), steps_per_run=3)
    ...     with strategy.scope():
    ...         dataset = strategy.distribute_dataset(lambda: tf.data.Dataset.range(6))
    ...         def step(context, x):
    ...             squares = strategy.call_for_each_tower(tf.square, x)
    ...             context.set_last_step_output("squares", squares)
    ...         context = strategy.run_steps_on_dataset(
    ...             step, dataset.make_one_shot_iterator(), iterations=3)
    ...     with tf.Session() as sess:
    ...         [int(x) for x in sess.run(context.last_step_outputs)["squares"]]
    [16, 25]
    """

    def __init__(self, towers: TowerDevices) -> None:
        self.run_op: Operation | None = None
        self.last_step_outputs: dict[str, Any] = {}
        self.non_tensor_outputs: dict[str, Any] = {}
        self.set_in_step: dict[str, Any] = {}
        self._towers = towers

    def set_last_step_output(
        self,
        name: str,
        output: Any,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> None:
        """Set an output of the step; the value of the last step remains.

        `name` is the name in `last_step_outputs`.  `output` is a tensor, a per-device
        value, or a structure of those.  `aggregation` is as for ``strategy.reduce``; by
        default the values are not combined.  It raises ValueError if `aggregation` is
        not a `tf.VariableAggregation`.
        """
        if not isinstance(aggregation, VariableAggregation):
            raise codes.NO_AGGREGATION.value_error(
                "set_last_step_output: aggregation must be one of "
                f"tf.VariableAggregation, got {aggregation!r}"
            )

        def combined(leaf: Any) -> Any:
            if aggregation is VariableAggregation.NONE:
                return leaf
            devices = list(self._towers.names)
            return combined_value(aggregation, leaf, devices, self._towers)

        def keep(output: Any) -> None:
            self.set_in_step[name] = nest.map_structure(combined, output)

        _set_across_towers(keep, output)

    def set_non_tensor_output(self, name: str, output: Any) -> None:
        """Store an output that is not a tensor, such as a name or a list of hooks.

        `name` is the name in `non_tensor_outputs`.  `output` is any object.  Different
        objects of towers become a per-device value.
        """

        def keep(output: Any) -> None:
            self.non_tensor_outputs[name] = output

        _set_across_towers(keep, output)

    def __repr__(self) -> str:
        return (
            f"<MultiStepContext outputs={sorted(self.last_step_outputs)} "
            f"non_tensor_outputs={sorted(self.non_tensor_outputs)}>"
        )


def _set_across_towers(keep: Callable[[Any], None], output: Any) -> None:
    """Call `keep` across the towers, with the towers' outputs merged."""
    tower = current_place().tower
    if tower is None:
        keep(output)
    else:
        tower.merge_call(lambda _, output: keep(output), output)
