"""Run several steps on the cores without returning to the host in between.

::

    host                            core of tower k
    ----                            ---------------
    FeedBegin
    TPUReplicate   ------------->   While: turn < iterations
        dataset    -- elements ->       FeedDequeue
                                        operations of fn: its tower's part, and sums
    outputs        <-------------   the values of the last step
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import int32
from tpuref.base.errors import OutOfRangeError
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph import build
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.region import LOOP, REPLICATED, Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.control import WHILE
from tpuref.engine.ops.sources import ARGUMENT
from tpuref.engine.ops.tpu import REPLICATE, Replication
from tpuref.interface.data.element import specs_of
from tpuref.interface.data.iterator import EagerIterator
from tpuref.interface.data.iterator import Iterator as DataIterator
from tpuref.interface.distribute.dataset import PerDeviceIterator
from tpuref.interface.distribute.grouping import merged
from tpuref.interface.distribute.multi_step_context import MultiStepContext
from tpuref.interface.distribute.step_outputs import (
    first_values,
    last_values,
    of_device,
    own,
)
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.functions.dependencies import group


def run_steps(
    fn: Callable[..., Any],
    iterator: Any,
    iterations: Any,
    initial_loop_values: Any,
    towers: TowerDevices,
) -> MultiStepContext:
    """Build the operation that runs `fn` several times on the cores.

    `fn` is called once; the operations that it builds run in every step.  In eager mode
    it is called once for each step.
    """
    if not callable(fn):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"run_steps_on_dataset: fn must be callable, got {fn!r}"
        )
    eagerly = executing_eagerly()
    rounds = _checked_iterator(iterator, EagerIterator if eagerly else DataIterator)
    start = _initial_values(initial_loop_values)
    if eagerly:
        return _run_eagerly(fn, iterator, int(iterations), start, towers)
    _check_shapes(iterator.element)
    graph = get_default_graph()
    with graph.name_scope("steps"):
        limit = convert_to_tensor(iterations, int32)
        return _Steps(
            towers, graph, iterator.element, limit, graph.unique_name("feed")
        ).built(fn, rounds, start)


def _checked_iterator(iterator: Any, kind: type[Any]) -> Any:
    """Return the iterator of rounds with one element for all towers."""
    rounds = iterator.rounds if isinstance(iterator, PerDeviceIterator) else iterator
    if not isinstance(rounds, kind):
        raise codes.WRONG_MODE.type_error(
            "run_steps_on_dataset: iterator must be one of a dataset, made in the same "
            "mode, such as strategy.distribute_dataset(dataset_fn)"
            f".make_one_shot_iterator(), got {iterator!r}"
        )
    return rounds


def _initial_values(values: Any) -> dict[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "run_steps_on_dataset: initial_loop_values must be a dict from the names "
            f"of outputs to their values, got {values!r}"
        )
    return dict(values)


def _check_shapes(element: Any) -> None:
    for spec in specs_of(element):
        if not spec.shape.is_fully_defined():
            raise codes.UNKNOWN_SHAPE.value_error(
                "run_steps_on_dataset: the cores need elements of fully known shape, "
                f"got {spec.describe()}; use dataset.batch(..., drop_remainder=True), "
                "or set_shape on the tensors in dataset.map"
            )


@dataclass(frozen=True)
class _Steps:
    """Builds the loop on the cores.

    `element` has the specs of a tower's input in a step, `limit` is the number of
    steps, and `feed` names the feed.
    """

    towers: TowerDevices
    graph: Graph
    element: Any
    limit: Tensor
    feed: str

    def built(
        self, fn: Callable[..., Any], rounds: DataIterator, start: dict[str, Any]
    ) -> MultiStepContext:
        """Build the loop, and return the context with its outputs."""
        context = MultiStepContext(self.towers)
        begin = self._begin_feed(rounds)
        cores = self.towers.system
        with self.graph.control_dependencies([begin]):
            if cores is None:
                operation, outputs = self._build_loop(fn, context, start)
                results = [outputs]
            else:
                operation, results = self._build_replicated(cores, fn, context, start)
        context.run_op = group(operation)
        by_device = dict(zip(self.towers.names, results, strict=True))
        context.last_step_outputs = last_values(context, start, by_device)
        return context

    def _begin_feed(self, rounds: DataIterator) -> Operation:
        """Return the operation that prepares the elements for a run."""
        return build.apply_operation(
            "FeedBegin",
            self.limit,
            name="begin",
            feed=self.feed,
            iterator=rounds.handle,
            token=rounds.token,
            towers=self.towers.count,
            width=len(specs_of(self.element)),
        )

    def _build_replicated(
        self,
        cores: Replication,
        fn: Callable[..., Any],
        context: MultiStepContext,
        start: dict[str, Any],
    ) -> tuple[Operation, list[dict[str, Any]]]:
        """Build the loop as a computation of one replica for each tower."""
        graph = self.graph
        region = Region(
            REPLICATED,
            graph.unique_name("cluster"),
            graph.region,
            user_site(),
            cores.replicas,
        )
        with graph.in_region(region):
            _, outputs = self._build_loop(fn, context, start)
        region.results = nest.flatten(outputs)
        operation = build.add_operation(REPLICATE, (), cores.attrs(), None, [region])
        count = len(region.results)
        by_tower = [
            nest.pack_sequence_as(
                outputs, operation.outputs[tower * count : (tower + 1) * count]
            )
            for tower in range(cores.replicas)
        ]
        return operation, by_tower

    def _build_loop(
        self, fn: Callable[..., Any], context: MultiStepContext, start: dict[str, Any]
    ) -> tuple[Operation, dict[str, Any]]:
        """Build the loop in the current region; return it and the final outputs."""
        graph, devices = self.graph, self.towers.names
        with self._loop_part("body") as turn:
            (step,) = turn.parameters
            _call(fn, context, self._dequeue_inputs())
            produced = {
                name: nest.map_structure(lambda leaf: own(leaf, devices), value)
                for name, value in context.set_in_step.items()
            }
        # The outputs of fn are known only now.  They are loop variables too, so both
        # regions get their further parameters after the body is built.
        values = first_values(start, produced, devices)
        leaves = nest.flatten(values)
        specs = [TensorSpec([], int32), *(tensor.spec for tensor in leaves)]
        with graph.in_region(turn):
            turn.parameters += _parameters(graph, specs[1:])
            kept = nest.pack_sequence_as(values, turn.parameters[1:])
            # The step's outputs replace the previous values; others pass through.
            turn.results = [step + 1, *nest.flatten({**kept, **produced})]
        with self._loop_part("cond") as test:
            test.parameters += _parameters(graph, specs[1:])
            test.results = [test.parameters[0] < self.limit]
        operation = build.add_operation(
            WHILE,
            [convert_to_tensor(0, int32), *leaves],
            {"loop_variables": len(specs), "maximum_iterations": None},
            None,
            [test, turn],
        )
        return operation, nest.pack_sequence_as(values, operation.outputs[1:])

    @contextlib.contextmanager
    def _loop_part(self, name: str) -> Iterator[Region]:
        """Open a region of the loop; its parameter is the number of the step."""
        graph = self.graph
        label = graph.unique_name(name, mark_as_used=False)
        region = Region(LOOP, label, graph.region, user_site())
        with graph.in_part(region, name, variables=""):
            region.parameters = _parameters(graph, [TensorSpec([], int32)])
            yield region

    def _dequeue_inputs(self) -> Any:
        """Return each tower's input from the feed."""
        specs = specs_of(self.element)
        elements = []
        for tower in range(self.towers.count):
            with self.towers.on_tower(tower):
                tensors = build.apply_all(
                    "FeedDequeue",
                    name="dequeue",
                    feed=self.feed,
                    dtypes=tuple(spec.dtype.name for spec in specs),
                    shapes=tuple(spec.shape.as_tuple() for spec in specs),
                )
            elements.append(nest.pack_sequence_as(self.element, tensors))
        return merged(elements, self.towers.names)


def _call(fn: Callable[..., Any], context: MultiStepContext, inputs: Any) -> None:
    if type(inputs) is tuple:
        fn(context, *inputs)
    else:
        fn(context, inputs)


def _parameters(graph: Graph, specs: Sequence[TensorSpec]) -> list[Tensor]:
    return [build.parameter(ARGUMENT, spec, "loop_variable") for spec in specs]


def _run_eagerly(
    fn: Callable[..., Any],
    iterator: Any,
    iterations: int,
    start: dict[str, Any],
    towers: TowerDevices,
) -> MultiStepContext:
    """Run the steps in eager mode."""
    context = MultiStepContext(towers)
    for step in range(iterations):
        try:
            inputs = _next_inputs(iterator, towers.names)
        except OutOfRangeError as error:
            raise OutOfRangeError(
                f"{iterations} steps were to be run, and the dataset has input for "
                f"{step} of them ({error.message})",
                code=codes.END_OF_SEQUENCE,
            ) from None
        _call(fn, context, inputs)
    values = {**start, **context.set_in_step}
    by_device = {device: of_device(device, values) for device in towers.names}
    context.last_step_outputs = last_values(context, start, by_device)
    return context


def _next_inputs(iterator: Any, devices: Sequence[str]) -> Any:
    if isinstance(iterator, PerDeviceIterator):
        return iterator.get_next()
    return merged([iterator.get_next() for _ in devices], devices)
