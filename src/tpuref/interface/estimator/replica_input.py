"""Feed the results of input functions to the replicas.

::

    input_fn -> tensors -> parts of the replicas      (a thread of the host, ahead)
                               |
                               v  FeedBegin, FeedDequeue
                        the loop on the cores
"""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from tpuref.base import nest
from tpuref.base.dtypes import string
from tpuref.engine.graph.build import apply_all, apply_operation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.lowering import lower
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.host import run_program
from tpuref.engine.runtime.meaning.iteration import Iteration
from tpuref.engine.runtime.meaning.run import Run
from tpuref.interface.data.ahead import Ahead
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.estimator import functions
from tpuref.interface.estimator.tpu_config import InputPipelineConfig
from tpuref.interface.estimator.tpu_context import Replicas
from tpuref.interface.functions.joining import split

STEPS_AHEAD = 2
"""The number of steps whose input is computed ahead of the cores."""


class ReplicaInput:
    """The features and labels of each replica, fed to a loop on the cores.

    `call(k)` makes the k-th of `calls` calls of the input function; `mode` is one of
    `InputPipelineConfig`; `batch_axis` has a dimension to split for each tensor.
    """

    def __init__(
        self,
        call: Callable[[int], Any],
        calls: int,
        mode: int,
        replicas: Replicas,
        batch_axis: Sequence[int] | None = None,
    ) -> None:
        self._mode, self._replicas, self._axes = mode, replicas, batch_axis
        self._count = replicas.count // calls
        parts = [part for k in range(calls) for part in self._parts(call(k))]
        self._structure = parts[0]
        self._tensors = [_feedable_tensors(part) for part in parts]
        self._feed = get_default_graph().unique_name("feed")

    def _parts(self, returned: Any) -> list[Any]:
        """Return the inputs of the replicas that one call feeds."""
        if self._mode == InputPipelineConfig.PER_HOST_V2 and self._count > 1:
            return self._batches_in_turn(returned)
        inputs = as_structure(*functions.features_and_labels(returned))
        if self._mode == InputPipelineConfig.BROADCAST:
            return [inputs] * self._count
        return self._split(inputs) if self._count > 1 else [inputs]

    def _batches_in_turn(self, dataset: Any) -> list[Any]:
        if not isinstance(dataset, Dataset):
            raise functions.invalid_input(
                "with PER_HOST_V2 input_fn must return a tf.data.Dataset, of which "
                f"each replica takes batches in turn, got {dataset!r}",
                TypeError,
            )
        iterator = functions.iterator_of(dataset)
        return [
            as_structure(*functions.features_and_labels(iterator.get_next()))
            for _ in range(self._count)
        ]

    def _split(self, inputs: Any) -> list[Any]:
        leaves = [convert_to_tensor(leaf) for leaf in nest.flatten(inputs)]
        axes = list(self._axes or [0] * len(leaves))
        if len(axes) != len(leaves):
            raise functions.invalid_input(
                f"batch_axis has {len(axes)} entries, but input_fn returns "
                f"{len(leaves)} tensors"
            )
        for leaf, axis in zip(leaves, axes, strict=True):
            sizes = leaf.shape.as_tuple() if leaf.shape.ndims is not None else ()
            size = sizes[axis] if len(sizes) > axis else None
            if size is None or size % self._count:
                raise functions.invalid_input(
                    f"{leaf.describe()} of input_fn cannot be split along dimension "
                    f"{axis} for {self._count} replicas; return batches of "
                    "params['batch_size'] rows, with drop_remainder=True"
                )
        columns = [
            split(leaf, self._count, axis)
            for leaf, axis in zip(leaves, axes, strict=True)
        ]
        return [
            nest.pack_sequence_as(inputs, [column[k] for column in columns])
            for k in range(self._count)
        ]

    def begin(self, steps: Tensor) -> Operation:
        """Return the operation that prepares the input for a number of steps."""
        graph = get_default_graph()
        program = lower([t for own in self._tensors for t in own], (), ())

        def started(values: Sequence[Array], run: Run) -> Iteration:
            return Iteration(_elements(program, run))

        # FeedBegin calls the host function with this token when it runs.
        token = len(graph.host_functions)
        graph.host_functions[token] = started
        return apply_operation(
            "FeedBegin",
            steps,
            name="begin",
            feed=self._feed,
            iterator=f"{self._feed}/iterator",
            token=token,
            towers=self._replicas.count,
            width=len(self._tensors[0]),
        )

    def dequeue(self) -> tuple[Any, Any]:
        """Return the features and labels of a replica for one step."""
        tensors = apply_all(
            "FeedDequeue",
            name="dequeue",
            feed=self._feed,
            dtypes=tuple(tensor.dtype.name for tensor in self._tensors[0]),
            shapes=tuple(tensor.shape.as_tuple() for tensor in self._tensors[0]),
        )
        return unpack(nest.pack_sequence_as(self._structure, tensors))


def _elements(program: Any, run: Run) -> Generator[Sequence[Array], None, None]:
    """Yield the arrays of all replicas, step by step."""

    def computed() -> Iterator[tuple[Array, ...]]:
        while True:
            yield tuple(run_program(program, [], run))

    with contextlib.closing(Ahead(computed(), STEPS_AHEAD)) as ahead:
        yield from ahead


def as_structure(features: Any, labels: Any) -> Any:
    """Return features and labels as one structure."""
    return (features,) if labels is None else (features, labels)


def unpack(inputs: Any) -> tuple[Any, Any]:
    """Return the features and labels of a structure from `as_structure`."""
    return inputs[0], inputs[1] if len(inputs) == 2 else None


def _feedable_tensors(inputs: Any) -> list[Tensor]:
    tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(inputs)]
    for tensor in tensors:
        if tensor.dtype == string:
            raise functions.invalid_input(
                f"{tensor.describe()} of input_fn is text, which cores do not support; "
                "remove it, or convert it to numbers",
                TypeError,
            )
        if not tensor.shape.is_fully_defined():
            raise functions.invalid_input(
                f"{tensor.describe()} of input_fn has no static shape; use "
                "dataset.batch(params['batch_size'], drop_remainder=True), or "
                "set_shape"
            )
    return tensors
