"""Host parts: instructions that lockstep runs, called from XLA in order.

Each process runs them for its own replicas.  The next part begins when all have ended.

A part is a maximal run of host instructions, so that text and sizes unknown to XLA stay
within it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import string
from tpuref.base.errors import AbortedError, InvalidArgumentError, OpError
from tpuref.base.shapes import static_sizes
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.lockstep import Values, locate, run_program
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.xla import words
from tpuref.engine.runtime.xla.context import Context
from tpuref.engine.runtime.xla.errors import data_dependent, refusal
from tpuref.engine.runtime.xla.slots import Slots
from tpuref.engine.runtime.xla.value import Value


class HostResult:
    """A result of the program that no device instruction reads.

    Its size may depend on data, and it may be text.
    """

    def __init__(self, replicas: int) -> None:
        self._replicas = replicas
        self._arrays: dict[int, Array] = {}

    def put(self, replica: int, array: Array) -> None:
        """Set the array of a replica."""
        self._arrays[replica] = array

    def take(self) -> list[Array]:
        """Return the arrays of all replicas."""
        whole = dict.fromkeys(range(self._replicas), next(iter(self._arrays.values())))
        arrays = {**whole, **self._arrays}
        self._arrays = {}
        return list(arrays.values())


class HostPart:
    """Consecutive host instructions, of all replicas or of one.

    `wanted` are the slots that device instructions read, `results` those that are only
    results of the program, and `slots` the current values.
    """

    def __init__(
        self,
        context: Context,
        instrs: Sequence[Instr],
        wanted: set[int],
        results: set[int],
        slots: Slots,
    ) -> None:
        made = [slot for instr in instrs for slot in instr.outputs]
        read = [slot for instr in instrs for slot in instr.inputs]
        inputs = [slot for slot in dict.fromkeys(read) if slot not in made]
        outputs = [slot for slot in dict.fromkeys(made) if slot in wanted]
        kept = [slot for slot in dict.fromkeys(made) if slot in results - wanted]
        self._program = Program("host", tuple(inputs), tuple(instrs), (*outputs, *kept))
        self._kept = {slot: HostResult(context.replicas) for slot in kept}
        only = instrs[0].replica
        self._replicas = range(context.replicas) if only is None else [only]
        self._values = [slots.value_for(slot, instrs[0]) for slot in inputs]
        self._specs = _specs(context, instrs, outputs, slots)
        self._count = context.replicas
        self._placement = context.placement
        self._returned = self._result_shapes()

    @property
    def _stacked(self) -> bool:
        return len(self._replicas) > 1

    def lower(self, context: Context) -> dict[int, Value]:
        """Add the call to the program; return the slots that it sets."""
        traced = [
            words.to_words(value.array) if words.is_wide(value.dtype) else value.array
            for value in self._values
            if not value.is_known
        ]
        # The call takes the failure flag and returns one, which orders the calls by
        # data dependencies. After a failure no replica is active.
        active = context.failure[0] == 0
        if context.active is not None:
            active = active & context.active.rows(self._count)
        active = jnp.broadcast_to(active, (self._count,))
        failed, *arrays = self._placement.called(
            partial(context.host, self),
            [jax.ShapeDtypeStruct((), np.bool_), *self._returned],
            [active, *traced],
        )
        failed = jnp.repeat(failed, len(self._placement.own))
        last = self._program.instrs[-1]
        context.fail_where(last, Value(failed, True), _failure_elsewhere(last))
        values = {
            slot: Value(self._rows(array, spec.dtype.np), self._stacked)
            for slot, array, spec in zip(
                self._program.results, arrays, self._specs, strict=False
            )
        }
        kept = {slot: Value(result, True) for slot, result in self._kept.items()}
        return {**values, **kept}

    def _result_shapes(self) -> list[jax.ShapeDtypeStruct]:
        """Return the shapes of the call's results."""
        leading = (self._count,) if self._stacked else ()
        shapes = [(*leading, *spec.shape.as_list()) for spec in self._specs]
        return [
            jax.ShapeDtypeStruct(words.word_shape(shape, spec.dtype.np), np.uint32)
            if words.is_wide(spec.dtype.np)
            else jax.ShapeDtypeStruct(shape, spec.dtype.np)
            for shape, spec in zip(shapes, self._specs, strict=True)
        ]

    def _rows(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """Return an output, each replica's row from its process."""
        array = words.of_words(value, dtype) if words.is_wide(dtype) else value
        if not self._stacked:
            return array[self._placement.process_of(self._replicas[0])]
        each = len(self._placement.own)
        parts = [array[p, p * each : (p + 1) * each] for p in range(array.shape[0])]
        return self._placement.divided(jnp.concatenate(parts))

    def run(self, run: Run, active: Array, *traced: Array) -> list[Array]:
        """Run the part for the active replicas of this process."""
        arrays = self._arrays(traced)
        inputs: Values = {
            replica: [
                np.asarray(array[replica]) if value.stacked else array
                for array, value in zip(arrays, self._values, strict=True)
            ]
            for replica in self._replicas
            if active[replica] and replica in self._placement.own
        }
        results = run_program(self._program, inputs, run)
        for number, result in enumerate(self._kept.values(), start=len(self._specs)):
            for replica, given_back in results.items():
                result.put(replica, given_back[number])
        columns = [self._column(k, results) for k in range(len(self._specs))]
        return [
            words.host_words(column, column.dtype)
            if words.is_wide(column.dtype)
            else column
            for column in columns
        ]

    def nothing(self) -> list[Array]:
        """Return zeros as the results of a failed part."""
        return [np.zeros(form.shape, form.dtype) for form in self._returned]

    def _arrays(self, traced: Sequence[Array]) -> list[Array]:
        rest = iter(traced)
        arrays = []
        for value in self._values:
            array = value.array if value.is_known else np.asarray(next(rest))
            wide = not value.is_known and words.is_wide(value.dtype)
            arrays.append(words.of_host_words(array, value.dtype) if wide else array)
        return arrays

    def _column(self, number: int, results: Mapping[int, Sequence[Array]]) -> Array:
        """Return an output of all replicas, zeros for inactive ones."""
        spec, instr = self._specs[number], self._program.instrs[-1]
        shape = static_sizes(spec.shape)
        column = np.zeros((self._count, *shape), spec.dtype.np)
        for replica, arrays in results.items():
            if arrays[number].shape != shape:
                raise InvalidArgumentError(
                    f"the host part that ends with {instr.name!r} gives the shape "
                    f"{list(arrays[number].shape)} on replica {replica}, known is "
                    f"{list(shape)}",
                    code=codes.INVALID_RESULT,
                )
            column[replica] = arrays[number]
        return column if self._stacked else column[self._replicas[0]]


def _failure_elsewhere(instr: Instr) -> Callable[[list[int]], OpError]:
    def describe(replicas: list[int]) -> OpError:
        error = AbortedError(
            f"{instr.op}: what runs on the host failed in the process of the replicas "
            f"{replicas[0]} to {replicas[-1]}, which raises the error",
            code=codes.HOST_FUNCTION_RAISED,
        )
        locate(error, instr)
        return error

    return describe


def _specs(
    context: Context, instrs: Sequence[Instr], outputs: Sequence[int], slots: Slots
) -> list[TensorSpec]:
    """Return the specs of the outputs; their sizes must be static."""
    values = {
        slot: slots.value_for(slot, instr)
        for instr in instrs
        for slot in instr.inputs
        if slot in slots
    }
    known: dict[int, TensorSpec | None] = {
        slot: None if value.dtype == object else TensorSpec(value.shape, value.dtype)
        for slot, value in values.items()
    }
    specs: dict[int, TensorSpec] = {}
    for instr in instrs:
        operands = [known.get(slot) for slot in instr.inputs]
        held = [values.get(slot) for slot in instr.inputs]
        specs_of_results = context.specs(instr, operands, held)
        known.update(zip(instr.outputs, specs_of_results, strict=True))
        specs.update(zip(instr.outputs, specs_of_results, strict=True))
    made = {slot: instr for instr in instrs for slot in instr.outputs}
    for slot in outputs:
        if specs[slot].dtype == string:
            raise refusal(made[slot], "its output is text", codes.XLA_OPERATION)
        if not specs[slot].shape.is_fully_defined():
            what = "the size of its output is not known; tensor.set_shape tells it"
            raise data_dependent(made[slot], what)
    return [specs[slot] for slot in outputs]
