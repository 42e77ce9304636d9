"""A program compiled for one signature, and its calls."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.known_values import without_repeats
from tpuref.engine.runtime.meaning.lockstep import Values, compute
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.xla.blocks import written
from tpuref.engine.runtime.xla.host_parts import HostPart, HostResult
from tpuref.engine.runtime.xla.inputs import ResidentInput
from tpuref.engine.runtime.xla.lowering import Lowering
from tpuref.engine.runtime.xla.signature import Signature
from tpuref.engine.runtime.xla.value import Value
from tpuref.engine.runtime.xla.variables import DONATING, DeviceVariable, array_of

_OPTIONS = {"xla_allow_excess_precision": False}
"""XLA must round 16-bit numbers after each operation, as lockstep does."""


class Compiled:
    """A program compiled for one signature."""

    lowering: type[Lowering] = Lowering
    precision = "highest"
    """The precision of matrix products; GPUs default to less."""

    def __init__(self, signature: Signature) -> None:
        self._signature = signature
        # JAX and XLA spend time on every instruction.
        self._program: Program = without_repeats(signature.program)
        self._placement = signature.placement
        self._replicas = signature.placement.replicas
        self._run: Run | None = None
        self._raised: BaseException | None = None
        self._lock = threading.Lock()
        self._inputs = [
            (number, ResidentInput(described.stacked, self._placement))
            for number, described in enumerate(signature.inputs)
            if described.known is None
        ]
        present = [held.handle for held in signature.variables]
        # A variable with a component on each replica is stacked while the program runs,
        # unless the components hold one array.
        components = {own[0]: own for own in self._program.components}
        self._shared = {common: components.pop(common) for common in signature.shared}
        self._stacked = components
        changing = [
            handle
            for common in written([self._program])
            for handle in self._stacked.get(common, (common,))
        ]
        self._written = [handle for handle in changing if handle not in present]
        self._changed = [handle for handle in present if handle in changing]
        self._constant = [handle for handle in present if handle not in changing]
        self._owners = self._program.owners
        self._lowering, function = self._trace()
        after = self._lowering.variables
        self.parted = [handle for handle in self._shared if after[handle].stacked]
        # Donating lets XLA update variables in place. If a run can still fail, or its
        # replicas have to be compared, the old values must survive it.
        self._donates = not (
            self._lowering.failures or not self._changed or signature.checks_replicas
        )
        shared = self._placement.shared
        self._function = jax.jit(
            function,
            in_shardings=(self._input_layouts(), shared, shared, self._draw_layouts()),
            out_shardings=(self._result_layouts(), shared, shared, shared),
            donate_argnums=(1,) if self._donates else (),
            compiler_options=_OPTIONS,
        )
        self._executable: Any = None

    @property
    def is_joint(self) -> bool:
        """Whether several processes run it together."""
        return self._placement.processes > 1

    # -- compilation -------------------------------------------------------------

    def _input_layouts(self) -> list[Any]:
        described = [self._signature.inputs[number] for number, _ in self._inputs]
        return [self._placement.layout(one.stacked) for one in described]

    def _draw_layouts(self) -> list[Any]:
        drawn = [instr for instr, _ in self._lowering.drawn]
        return [self._placement.layout(self._differs(instr)) for instr in drawn]

    def _differs(self, instr: Instr) -> bool:
        """Whether each replica draws different numbers."""
        return self._replicas > 1 and instr.replica is None

    def _result_layouts(self) -> list[Any]:
        """Each process returns the results of all replicas."""
        return [
            self._placement.layout(value.stacked and not self.is_joint)
            for value in self._results
            if value.array is None
        ]

    def _trace(self) -> tuple[Lowering, Callable[..., Any]]:
        """Lower the program; again with the draws as inputs if it draws."""
        lowerings: list[Lowering] = []

        def trace(*arguments: Any) -> Any:
            lowering, *outputs = self._outputs(None, *arguments)
            lowerings.append(lowering)
            return tuple(outputs)

        shared = self._placement.shared
        shapes = {
            held.handle: jax.ShapeDtypeStruct(held.shape, held.dtype, sharding=shared)
            for held in self._signature.variables
        }
        # A jitted function that calls another one takes over its trace if the types are
        # the same; those of variables name their devices. It is inlined, because XLA
        # made an LSTM 13 % slower with a nested call.
        function = jax.jit(trace, inline=True)
        self._types = (
            self._signature.traced_inputs(),
            [shapes[handle] for handle in self._changed],
            [shapes[handle] for handle in self._constant],
        )
        traced = function.trace(*self._types, [])
        (lowering,) = lowerings
        self._calls_host = bool(traced.jaxpr.effects)
        if lowering.drawn:
            return lowering, partial(self._lower_again, lowering.drawn)
        return lowering, function

    def _lower_again(self, drawn: Sequence[Any], *arguments: Any) -> Any:
        return self._outputs(drawn, *arguments)[1:]

    def _outputs(
        self,
        drawn: Sequence[Any] | None,
        inputs: Sequence[Any],
        changed: Sequence[Any],
        constant: Sequence[Any],
        draws: Sequence[Any],
    ) -> tuple[Lowering, list[Any], list[Any], list[Any], Any]:
        """Lower the program; return its results, variables and failure."""
        arrays = zip(
            [*self._changed, *self._constant], [*changed, *constant], strict=True
        )
        lowering = self.lowering(
            self._program,
            self._placement,
            self._stack({handle: Value(array, False) for handle, array in arrays}),
            None if drawn is None else draws,
            self._on_host,
        )
        with jax.default_matmul_precision(self.precision):
            values = lowering.block(self._program, self._signature.values(inputs))
        self._results = [
            value if value.is_on_host else value._replace(array=None)
            for value in values
        ]
        results = [value.array for value in values if not value.is_on_host]
        everything = self._unstack(lowering.variables)
        after = {h: everything[h] for h in (*self._changed, *self._written)}
        kept = [
            jnp.asarray(value.of(self._owners.get(handle, 0)).array)
            for handle, value in after.items()
        ]
        whole = (
            [value.rows(self._replicas) for value in after.values()]
            if self._signature.checks_replicas
            else []
        )
        return lowering, results, kept, whole, lowering.failure

    def _stack(self, held: dict[str, Value]) -> dict[str, Value]:
        """Stack the components of variables under their common handles."""
        for common, own in self._stacked.items():
            parts = [held[handle].array for handle in own if handle in held]
            held = {h: value for h, value in held.items() if h not in own}
            if len(parts) == len(own):
                held[common] = Value(self._placement.divided(jnp.stack(parts)), True)
        return held

    def _unstack(self, held: dict[str, Value]) -> dict[str, Value]:
        """Return the variables with the components under handles of their own."""
        own = {
            handle: held[common].of(replica)
            for common, handles in self._stacked.items()
            if common in held
            for replica, handle in enumerate(handles)
        }
        return {**held, **own}

    # -- calls -------------------------------------------------------------------

    def __call__(self, inputs: Values, run: Run) -> Values:
        """Run it, and return the results of each replica."""
        with self._lock, DONATING if self._donates else contextlib.nullcontext():
            variables = self._on_device([*self._changed, *self._constant], run)
            changed = variables[: len(self._changed)]
            results, kept, whole, failure = self._call(
                run,
                self._input_arrays(inputs),
                [variable.array for variable in changed],
                [variable.array for variable in variables[len(changed) :]],
                self._draw(run),
            )
            self._raise_failure(failure)
            returned = self._host_results(results)  # raises asynchronous errors
            self._keep(run, changed, kept, whole)
            return returned

    def _input_arrays(self, inputs: Values) -> list[Any]:
        return [
            resident.array([inputs[replica][number] for replica in inputs])
            for number, resident in self._inputs
        ]

    def _call(self, run: Run, *arguments: Any) -> Any:
        self._run, self._raised = run, None
        try:
            if self._executable is None:
                # It takes inputs from the host and from a device alike; for a jitted
                # function they are two types, each to be compiled.
                drawn = arguments[-1]
                self._executable = self._function.lower(*self._types, drawn).compile()
            outputs = self._executable(*arguments)
            # Otherwise copying the results to the host waits for the run.
            if self._calls_host or not outputs[0]:
                jax.block_until_ready(outputs)
            return outputs
        finally:
            self._run = None

    def _on_host(self, part: HostPart, active: Any, *arrays: Any) -> list[Any]:
        """Run a part on the host; return whether it failed, and its results."""
        # It never raises: other devices may wait for this one in a collective. The
        # exception is stored and raised when the run has ended.
        assert self._run is not None
        flags = np.asarray(active)
        try:
            return [np.False_, *part.run(self._run, flags, *arrays)]
        except BaseException as error:
            self._raised = error
            return [np.True_, *part.nothing()]

    def _draw(self, run: Run) -> list[Any]:
        """Draw all random numbers, from the streams of lockstep."""
        columns = []
        for instr, operands in self._lowering.drawn:

            def row(
                replica: int, instr: Instr = instr, operands: Any = operands
            ) -> Any:
                return compute(instr.definition, instr, operands, replica, run)[0]

            if self._differs(instr):
                columns.append(self._placement.put_rows(row))
            else:
                columns.append(self._placement.put(row(instr.replica or 0), False))
        return columns

    def _on_device(self, handles: Sequence[str], run: Run) -> list[DeviceVariable]:
        """Move variables to the devices, where they stay."""
        view, layout = run.view(0), self._placement.shared
        values: list[Any] = [view.held(handle) for handle in handles]
        # Components that held one array may do so still; only one can donate it.
        first = {id(value): k for k, value in reversed(list(enumerate(values)))}
        elsewhere = [
            k
            for k, value in enumerate(values)
            if not (isinstance(value, DeviceVariable) and value.layout is layout)
            or first[id(value)] != k
        ]
        arrays = [np.asarray(array_of(values[k])) for k in elsewhere]
        for k, array in zip(
            elsewhere, self._placement.put_of_first(arrays), strict=True
        ):
            variable = DeviceVariable(array, layout)
            for handle in self._shared.get(handles[k], (handles[k],)):
                view.relocate(handle, values[k], variable)
            values[k] = variable
        return values

    def _raise_failure(self, failure: Any) -> None:
        if not self._lowering.failures:
            return
        if self._raised is not None:
            raise self._raised
        number = int(failure[0])
        if number:
            replicas = np.flatnonzero(np.asarray(failure[1])).tolist()
            raise self._lowering.failures[number - 1](replicas)

    def _keep(
        self, run: Run, changed: Sequence[DeviceVariable], kept: Any, whole: Any
    ) -> None:
        """Write the new values of variables to the replicas' views."""
        handles = [*self._changed, *self._written]
        for number, (handle, array) in enumerate(zip(handles, kept, strict=True)):
            if whole:
                rows = np.array(whole[number])
                for replica in range(self._replicas):
                    run.variables[replica].write(handle, np.asarray(rows[replica]))
                continue
            if self._donates and number < len(changed):
                variable = changed[number]
                variable.replace(array)
            else:
                variable = DeviceVariable(array, self._placement.shared)
            if handle in self._shared:
                for replica in range(self._replicas):
                    run.view(replica).write(handle, variable)
            else:
                run.view(self._owners.get(handle, 0)).write(handle, variable)

    def _host_results(self, results: Sequence[Any]) -> Values:
        """Return the results of each replica as arrays that it owns."""
        rest = map(np.array, results)
        columns = [self._column(value, rest) for value in self._results]
        return {
            replica: [np.asarray(column[replica]) for column in columns]
            for replica in range(self._replicas)
        }

    def _column(self, value: Value, device: Iterator[Array]) -> Sequence[Array]:
        """Return a result of all replicas, from the host or from the device."""
        if isinstance(value.array, HostResult):
            return value.array.take()
        whole = next(device) if value.array is None else value.array
        if value.stacked:
            return list(whole)
        return [whole.copy() for _ in range(self._replicas)]
